package main

// row is one line of the table: a benchmark of a package, and which of its
// figures, divided by which other one, is compared with the budget.
type row struct {
	name, budget string
	pkg, bench   string
	benchtime    string
	// of and by are "benchmark unit"; by is empty for a figure that is a ratio
	// or a size itself.
	of, by string
}

var rows = []row{
	{"1 key at 10⁶ rows ÷ at 100", "≤ 1.3", "./ui/table", "BenchmarkKey$/^1000000$", "2000x", "BenchmarkKey/1000000 x/100rows", ""},
	{"1 the same in the whole tab", "≤ 1.3", "./ui/market", "BenchmarkKey$/^1000000$", "2000x", "BenchmarkKey/1000000 x/100rows", ""},
	{"1 key in the Inventory tab at 10⁴ wallets ÷ at 100", "≤ 1.3", "./ui/inventory", "BenchmarkKey$/^10000$", "2000x", "BenchmarkKey/10000 x/100wallets", ""},
	{"2 key at 100 rows ÷ the table of Bubbles", "≤ 0.01", "./ui/table", "BenchmarkKeyOfBubbles$", "500x", "BenchmarkKeyOfBubbles x/Bubbles", ""},
	{"3 key to bytes ÷ smallest program, p50", "≤ 1.1", "./ui/cli", "BenchmarkKeyToBytes$", "200x", "BenchmarkKeyToBytes ×peer", ""},
	{"5 decode 1,000 orders ÷ IsValid", "≤ 3", "./api/wire", "BenchmarkDecodeMarket$/./orders=1000$", "1s", "BenchmarkDecodeMarket/decode/orders=1000 ns/op", "BenchmarkDecodeMarket/valid/orders=1000 ns/op"},
	{"5 decode 100 orders ÷ IsValid", "≤ 3", "./api/wire", "BenchmarkDecodeMarket$/./orders=100$", "1s", "BenchmarkDecodeMarket/decode/orders=100 ns/op", "BenchmarkDecodeMarket/valid/orders=100 ns/op"},
	{"6 poll of 10⁵ orders ÷ IsValid", "≤ 5", "./api/session", "BenchmarkPoll$/./orders=100000$", "1s", "BenchmarkPoll/poll/orders=100000 ns/op", "BenchmarkPoll/valid/orders=100000 ns/op"},
	{"7 heap of 10⁵ orders ÷ payload", "≤ 1.0", "./api/session", "BenchmarkMarketHeap$/orders=100000$", "1x", "BenchmarkMarketHeap/orders=100000 heap/payload", ""},
	{"8 sort 10⁶ rows ÷ slices.Sort", "≤ 1.5", "./ui/table", "BenchmarkSort$/^all$/^1000000$", "10x", "BenchmarkSort/all/1000000 x/slices.Sort", ""},
	{"8 first sorted screen of 10⁶", "≤ 0.05", "./ui/table", "BenchmarkSort$/^screen$/^1000000$", "10x", "BenchmarkSort/screen/1000000 x/slices.Sort", ""},
	{"9 filter 10⁵ rows ÷ bytes.Contains", "≤ 3", "./ui/table", "BenchmarkFilter$/^wind$/^100000$", "20x", "BenchmarkFilter/wind/100000 x/Contains", ""},
	{"9 filter 10⁵ vintages by the best ask ÷ bytes.Contains", "≤ 3", "./ui/market", "BenchmarkFilter$/^ask<10$", "5x", "BenchmarkFilter/ask<10 x/Contains", ""},
	{"9 filter 10⁵ vintages by type and year, off the screen", "–", "./ui/market", "BenchmarkFilter$/^type", "5x", "BenchmarkFilter/type:cook_vintage>=2020 x/Contains", ""},
	{"10 first frame, demo ÷ smallest program", "≤ 1.5", "./ui/cli", "BenchmarkStart$", "20x", "BenchmarkStart ×peer", ""},
	{"10 first frame, service ÷ smallest program", "≤ 1.5", "./ui/cli", "BenchmarkStart$", "20x", "BenchmarkStart ×peer/service", ""},
	{"10 demo's data, ms", "≤ 250", "./ui/cli", "BenchmarkStart$", "20x", "BenchmarkStart ms/data", ""},
	{"14 read 100 pages ÷ fetch and discard", "≤ 3", "./api", "BenchmarkWholeMarket$/^(read|discard)$/pages=100$", "20x", "BenchmarkWholeMarket/read/pages=100 ns/op", "BenchmarkWholeMarket/discard/pages=100 ns/op"},
	{"14 100 pages 50 ms away ÷ 13 × 50 ms", "≤ 1.15", "./api", "BenchmarkWholeMarketFarAway$", "5x", "BenchmarkWholeMarketFarAway ×13-latencies", ""},
	{"19 time of an unchanged poll, SQLite ÷ full", "≤ 0.05", "./api/marketplace", "BenchmarkMarketPages$/orders=100000$/^sqlite$", "5x", "BenchmarkMarketPages/orders=100000/sqlite/unchanged ns/op", "BenchmarkMarketPages/orders=100000/sqlite/full ns/op"},
	{"19 bytes of an unchanged poll, SQLite ÷ full", "≤ 0.01", "./api/marketplace", "BenchmarkMarketPages$/orders=100000$/^sqlite$", "5x", "BenchmarkMarketPages/orders=100000/sqlite/unchanged B/poll", "BenchmarkMarketPages/orders=100000/sqlite/full B/poll"},
	{"19 bytes of a poll with another price, SQLite ÷ full", "≤ 0.1", "./api/marketplace", "BenchmarkMarketPages$/orders=100000$/^sqlite$", "5x", "BenchmarkMarketPages/orders=100000/sqlite/one_change B/poll", "BenchmarkMarketPages/orders=100000/sqlite/full B/poll"},
	{"– purchases a second of 1 clients in one project, SQLite", "–", "./api/marketplace", "BenchmarkPurchases$/^clients=1$/^projects=1$/^sqlite$", "5x", "BenchmarkPurchases/clients=1/projects=1/sqlite purchases/s", ""},
	{"– purchases a second of 32 clients in one project, SQLite", "–", "./api/marketplace", "BenchmarkPurchases$/^clients=32$/^projects=1$/^sqlite$", "5x", "BenchmarkPurchases/clients=32/projects=1/sqlite purchases/s", ""},
	{"19 time of an unchanged poll, PostgreSQL ÷ full", "≤ 0.05", "./api/marketplace", "BenchmarkMarketPages$/orders=100000$/^postgres$", "5x", "BenchmarkMarketPages/orders=100000/postgres/unchanged ns/op", "BenchmarkMarketPages/orders=100000/postgres/full ns/op"},
	{"19 bytes of an unchanged poll, PostgreSQL ÷ full", "≤ 0.01", "./api/marketplace", "BenchmarkMarketPages$/orders=100000$/^postgres$", "5x", "BenchmarkMarketPages/orders=100000/postgres/unchanged B/poll", "BenchmarkMarketPages/orders=100000/postgres/full B/poll"},
	{"19 bytes of a poll with another price, PostgreSQL ÷ full", "≤ 0.1", "./api/marketplace", "BenchmarkMarketPages$/orders=100000$/^postgres$", "5x", "BenchmarkMarketPages/orders=100000/postgres/one_change B/poll", "BenchmarkMarketPages/orders=100000/postgres/full B/poll"},
	{"– purchases a second of 1 clients in one project, PostgreSQL", "–", "./api/marketplace", "BenchmarkPurchases$/^clients=1$/^projects=1$/^postgres$", "5x", "BenchmarkPurchases/clients=1/projects=1/postgres purchases/s", ""},
	{"– purchases a second of 32 clients in one project, PostgreSQL", "–", "./api/marketplace", "BenchmarkPurchases$/^clients=32$/^projects=1$/^postgres$", "5x", "BenchmarkPurchases/clients=32/projects=1/postgres purchases/s", ""},
	{"19 time of an unchanged poll ÷ full", "≤ 0.05", "./api", "BenchmarkPollAgain$", "10x", "BenchmarkPollAgain/same/version ×time", ""},
	{"19 bytes of an unchanged poll ÷ full", "≤ 0.01", "./api", "BenchmarkPollAgain$", "10x", "BenchmarkPollAgain/same/version ×bytes", ""},
	{"19 bytes of a poll with another price ÷ full", "≤ 0.1", "./api", "BenchmarkPollAgain$", "10x", "BenchmarkPollAgain/repriced ×bytes", ""},
}
