package main

var groups = []group{
	{"./ui/table", "BenchmarkKey$/^1000000$", "2000x", "Key/1000000 ", []row{
		{"1 key at 10⁶ rows ÷ at 100", "≤ 1.3", "x/100rows", ""},
	}},
	{"./ui/market", "BenchmarkKey$/^1000000$", "2000x", "Key/1000000 ", []row{
		{"1 the same in the whole tab", "≤ 1.3", "x/100rows", ""},
	}},
	{"./ui/table", "BenchmarkKeyOfBubbles$", "500x", "KeyOfBubbles ", []row{
		{"2 key at 100 rows ÷ the table of Bubbles", "≤ 0.01", "x/Bubbles", ""},
	}},
	{"./ui/cli", "BenchmarkKeyToBytes$", "200x", "KeyToBytes ", []row{
		{"3 key to bytes ÷ smallest program, p50", "≤ 1.1", "×peer", ""},
	}},
	{"./ui/cli", "BenchmarkFirstKey$", "15x", "FirstKey ", []row{
		{"3 first key after two seconds ÷ smallest program, p50", "≤ 1.2", "×peer", ""},
	}},
	{"./ui/cli", "BenchmarkCursorMove$", "100x", "CursorMove/", []row{
		{"4 bytes of a cursor move, held key", "≤ 600", "held B/move", ""},
		{"4 bytes of a cursor move, one key", "–", "alone B/move", ""},
	}},
	{"./ui", "BenchmarkChangedPrice$", "20x", "ChangedPrice ", []row{
		{"4 bytes of a changed price", "≤ 100", "B/price", ""},
		{"4 bytes when its mark disappears", "–", "B/end-of-mark", ""},
	}},
	{"./api/wire", "BenchmarkDecodeMarket$/./orders=1000$", "1s", "DecodeMarket/", []row{
		{"5 decode 1,000 orders ÷ IsValid", "≤ 3", "decode/orders=1000 ns/op", "valid/orders=1000 ns/op"},
	}},
	{"./api/wire", "BenchmarkDecodeMarket$/./orders=100$", "1s", "DecodeMarket/", []row{
		{"5 decode 100 orders ÷ IsValid", "≤ 3", "decode/orders=100 ns/op", "valid/orders=100 ns/op"},
	}},
	{"./api/wire", "BenchmarkPoll$/./orders=100000$", "1s", "Poll/", []row{
		{"6 poll of 10⁵ orders ÷ IsValid", "≤ 5", "poll/orders=100000 ns/op", "valid/orders=100000 ns/op"},
	}},
	{"./api/wire", "BenchmarkMarketHeap$/orders=100000$", "1x", "MarketHeap/orders=100000 ", []row{
		{"7 heap of 10⁵ orders ÷ payload", "≤ 1.0", "heap/payload", ""},
	}},
	{"./ui/table", "BenchmarkSort$/^1000000$", "10x", "Sort/1000000 ", []row{
		{"8 sort 10⁶ rows ÷ slices.Sort", "≤ 1.5", "x/slices.Sort", ""},
	}},
	{"./ui/table", "BenchmarkFilter$/^wind$/^100000$", "20x", "Filter/wind/100000 ", []row{
		{"9 filter 10⁵ rows ÷ bytes.Contains", "≤ 3", "x/Contains", ""},
	}},
	{"./ui/market", "BenchmarkFilter$/^(ask<10|type)", "5x", "Filter/", []row{
		{"9 filter 10⁵ vintages by the best ask ÷ bytes.Contains", "≤ 3", "ask<10 x/Contains", ""},
		{"9 filter 10⁵ vintages by type and year, off the screen", "–", "type:cook_vintage>=2020 x/Contains", ""},
	}},
	{"./ui/cli", "BenchmarkStart$", "20x", "Start ", []row{
		{"10 first frame, demo ÷ smallest program", "≤ 3", "×peer", ""},
		{"10 first frame, service ÷ smallest program", "≤ 3", "×peer/service", ""},
		{"10 first frame, service ÷ empty Go program", "–", "×empty/service", ""},
		{"10 page faults, service ÷ smallest program", "–", "faults/service", "faults/peer"},
		{"10 page faults, service ÷ empty Go program", "–", "faults/service", "faults/empty"},
		{"10 demo's data, ms", "≤ 250", "ms/data", ""},
	}},
	{"./ui/cli", "BenchmarkIdle$", "1x", "Idle ", []row{
		{"13 bytes of ten idle seconds", "0", "B", ""},
		{"13 CPU of ten idle seconds ÷ smallest program", "≤ 1.2", "ticks", "ticks/peer"},
	}},
	{"./api", "BenchmarkWholeMarket$/^(read|discard)$/pages=100$", "20x", "WholeMarket/", []row{
		{"14 read 100 pages ÷ fetch and discard", "≤ 4", "read/pages=100 ns/op", "discard/pages=100 ns/op"},
	}},
	{"./api", "BenchmarkWholeMarketFarAway$", "5x", "WholeMarketFarAway ", []row{
		{"14 100 pages 50 ms away ÷ 13 × 50 ms", "≤ 1.2", "×13-latencies", ""},
	}},
	{"./api/marketplace", "BenchmarkMarketPage$/orders=1000$", "100x", "MarketPage/orders=1000/", []row{
		{"15/17 last page of 10³ orders, SQLite ÷ SELECT", "≤ 3", "sqlite ×SELECT", ""},
		{"15/17 last page of 10³ orders, PostgreSQL ÷ SELECT", "≤ 3", "postgres ×SELECT", ""},
	}},
	{"./api/marketplace", "BenchmarkMarketPage$/orders=10000$", "100x", "MarketPage/orders=10000/", []row{
		{"15/17 last page of 10⁴ orders, SQLite ÷ SELECT", "≤ 3", "sqlite ×SELECT", ""},
		{"15/17 last page of 10⁴ orders, PostgreSQL ÷ SELECT", "≤ 3", "postgres ×SELECT", ""},
		{"15/17 last page of 10⁴ orders, SQLite ÷ first page", "≤ 1.5", "sqlite ×first", ""},
		{"15/17 last page of 10⁴ orders, PostgreSQL ÷ first page", "≤ 1.5", "postgres ×first", ""},
	}},
	{"./api/marketplace", "BenchmarkMarketPage$/orders=100000$", "100x", "MarketPage/orders=100000/", []row{
		{"15/17 last page of 10⁵ orders, SQLite ÷ SELECT", "≤ 3", "sqlite ×SELECT", ""},
		{"15/17 last page of 10⁵ orders, PostgreSQL ÷ SELECT", "≤ 3", "postgres ×SELECT", ""},
		{"15/17 last page of 10⁵ orders, SQLite ÷ first page", "≤ 1.5", "sqlite ×first", ""},
		{"15/17 last page of 10⁵ orders, PostgreSQL ÷ first page", "≤ 1.5", "postgres ×first", ""},
	}},
	{"./api/marketplace", "BenchmarkMarketPage$/orders=1000000$", "100x", "MarketPage/orders=1000000/", []row{
		{"15/17 last page of 10⁶ orders, SQLite ÷ SELECT", "≤ 3", "sqlite ×SELECT", ""},
		{"15/17 last page of 10⁶ orders, PostgreSQL ÷ SELECT", "≤ 3", "postgres ×SELECT", ""},
		{"15/17 last page of 10⁶ orders, SQLite ÷ first page", "≤ 1.5", "sqlite ×first", ""},
		{"15/17 last page of 10⁶ orders, PostgreSQL ÷ first page", "≤ 1.5", "postgres ×first", ""},
	}},
	{"./api/marketplace", "BenchmarkWarmPages$", "5x", "WarmPages/", []row{
		{"16 warm page over 8 connections, SQLite ÷ handler", "≤ 10", "sqlite/connections=8 ×handler", ""},
		{"16 warm page over 32 connections, SQLite ÷ handler", "≤ 10", "sqlite/connections=32 ×handler", ""},
		{"16 warm page over 64 connections, SQLite ÷ handler", "≤ 10", "sqlite/connections=64 ×handler", ""},
		{"16 warm page over 128 connections, SQLite ÷ handler", "≤ 10", "sqlite/connections=128 ×handler", ""},
		{"16 p99 ÷ p50 over 64 connections, SQLite", "≤ 20", "sqlite/connections=64 p99/p50", ""},
		{"16 warm page over 8 connections, PostgreSQL ÷ handler", "≤ 10", "postgres/connections=8 ×handler", ""},
		{"16 warm page over 32 connections, PostgreSQL ÷ handler", "≤ 10", "postgres/connections=32 ×handler", ""},
		{"16 warm page over 64 connections, PostgreSQL ÷ handler", "≤ 10", "postgres/connections=64 ×handler", ""},
		{"16 warm page over 128 connections, PostgreSQL ÷ handler", "≤ 10", "postgres/connections=128 ×handler", ""},
		{"16 p99 ÷ p50 over 64 connections, PostgreSQL", "≤ 20", "postgres/connections=64 p99/p50", ""},
	}},
	{"./api/marketplace", "BenchmarkPurchases$/./one_project", "3x", "Purchases/", []row{
		{"– purchases a second of a client, SQLite", "–", "clients=1/one_project/sqlite purchases/s", ""},
		{"– purchases a second of 8 clients, SQLite", "–", "clients=8/one_project/sqlite purchases/s", ""},
		{"– purchases a second of 32 clients, SQLite", "–", "clients=32/one_project/sqlite purchases/s", ""},
		{"– purchases a second of a client, PostgreSQL", "–", "clients=1/one_project/postgres purchases/s", ""},
		{"– purchases a second of 8 clients, PostgreSQL", "–", "clients=8/one_project/postgres purchases/s", ""},
		{"– purchases a second of 32 clients, PostgreSQL", "–", "clients=32/one_project/postgres purchases/s", ""},
		{"17 purchases of 64 clients in one project, PostgreSQL ÷ pgbench", "≥ 0.067",
			"clients=64/one_project/postgres ×pgbench", ""},
	}},
	{"./api/marketplace", "BenchmarkPurchases$/clients=64/own/postgres", "3x",
		"Purchases/clients=64/own_projects/postgres ", []row{
			{"17 purchases of 64 clients in own projects, PostgreSQL ÷ pgbench", "≥ 0.2", "×pgbench", ""},
		}},
	{"./api/marketplace", "BenchmarkTwoInstances$", "10x", "TwoInstances/", []row{
		{"18 purchases on two instances ÷ on one", "≥ 0.95", "tenants=32 ×one", ""},
		{"18 cached page of the second instance ÷ of the first", "≤ 1.1", "tenants=32 ×page", ""},
		{"31 purchases of one tenant on two instances ÷ on one", "≥ 0.9", "tenants=1 ×one", ""},
		{"31 p99 of the same", "–", "tenants=1 ×p99", ""},
	}},
	{"./api/marketplace", "BenchmarkWhileOneWaits$", "5x", "WhileOneWaits ", []row{
		{"18 p50 of purchases while one waits in another project ÷ alone", "≤ 2", "×p50", ""},
		{"18 p99 of the same", "≤ 2", "×p99", ""},
	}},
	{"./api/marketplace", "BenchmarkMarketPages$/orders=100000$", "5x", "MarketPages/orders=100000/", []row{
		{"19 time of an unchanged poll, SQLite ÷ full", "≤ 0.05", "sqlite/unchanged ns/op", "sqlite/full ns/op"},
		{"19 bytes of an unchanged poll, SQLite ÷ full", "≤ 0.01", "sqlite/unchanged B/poll", "sqlite/full B/poll"},
		{"19 bytes of a poll with another price, SQLite ÷ full", "≤ 0.1", "sqlite/one_change B/poll", "sqlite/full B/poll"},
		{"19 time of an unchanged poll, PostgreSQL ÷ full", "≤ 0.05", "postgres/unchanged ns/op", "postgres/full ns/op"},
		{"19 bytes of an unchanged poll, PostgreSQL ÷ full", "≤ 0.01", "postgres/unchanged B/poll", "postgres/full B/poll"},
		{"19 bytes of a poll with another price, PostgreSQL ÷ full", "≤ 0.1", "postgres/one_change B/poll",
			"postgres/full B/poll"},
	}},
	{"./api", "BenchmarkPollAgain$", "10x", "PollAgain/", []row{
		{"19 time of an unchanged poll ÷ full", "≤ 0.05", "same/version ×time", ""},
		{"19 bytes of an unchanged poll ÷ full", "≤ 0.01", "same/version ×bytes", ""},
		{"19 bytes of a poll with another price ÷ full", "≤ 0.1", "repriced ×bytes", ""},
	}},
	{"./api/marketplace", "BenchmarkMove$/orders=1000000$", "1x", "Move/orders=1000000 ", []row{
		{"20 move of 10⁶ orders to PostgreSQL ÷ COPY", "≤ 2", "×COPY", ""},
		{"20 move of 10⁶ orders to PostgreSQL, s", "–", "s/to-PostgreSQL", ""},
		{"20 move of 10⁶ orders to SQLite ÷ INSERT … SELECT", "≤ 2", "×INSERT", ""},
		{"20 move of 10⁶ orders to SQLite, s", "–", "s/to-SQLite", ""},
	}},
	{"./ui/cli", "BenchmarkShare$", "1x", "Share ", []row{
		{"21 requests of a desk of 200 ÷ of one", "1", "requests/all", "requests/one"},
		{"21 resident memory of a guest, MiB", "≤ 3", "MiB/guest", ""},
		{"21 p99 of another tab at a desk of 200 ÷ of one", "≤ 2", "ms-p99/all", "ms-p99/one"},
	}},
	{"./ui/cli", "BenchmarkBatch$", "3x", "Batch ", []row{
		{"23 batch of 1,000 ÷ loop without a journal", "≤ 2.2", "×loop", ""},
	}},
	{"./ui/cli", "BenchmarkKeyDuringPolls$", "600x", "KeyDuringPolls/", []row{
		{"24 key during polls of 1,000 × 100 orders ÷ smallest program, p99", "≤ 1.3", "projects=1000 ×peer/p99", ""},
		{"24 slowest key during the same, ms", "≤ 40", "projects=1000 ms/max", ""},
		{"24 slowest key of the smallest program during the same, ms", "–", "projects=1000 ms/max-peer", ""},
		{"24 key during polls of 10,000 × 10 orders ÷ smallest program, p99", "≤ 1.3", "projects=10000 ×peer/p99", ""},
		{"24 slowest key during the same, ms", "≤ 40", "projects=10000 ms/max", ""},
	}},
	{"./ui/cli", "BenchmarkLedger$", "9x", "Ledger ", []row{
		{"25 ledger find without a match, 20,000 requests ÷ ledger -o csv", "≤ 0.25", "×csv/find-none", ""},
		{"25 ledger find with ten matches ÷ ledger -o csv", "≤ 0.25", "×csv/find-ten", ""},
		{"28 statement ÷ ledger -o csv", "≤ 1.5", "×csv/statement", ""},
		{"28 ledger close of a month with all requests ÷ ledger -o csv", "≤ 1.5", "×csv/close", ""},
		{"28 ledger -o csv, s", "–", "s/csv", ""},
		{"32 Tab: __complete retirement ÷ __complete market", "≤ 1.5", "×market/tab", ""},
		{"33 statement --pdf ÷ ledger -o csv", "≤ 2", "×csv/pdf", ""},
		{"33 retirement --file of 20,000 ids ÷ ledger -o csv", "≤ 2", "×csv/import", ""},
	}},
	{"./ui/cli", "BenchmarkLookUps$", "5x", "LookUps ", []row{
		{"26 1,000 look-ups of 1,000 projects, 20 ms away ÷ ideal client", "≤ 1.2", "×ideal", ""},
	}},
	{"./ui/cli", "BenchmarkAgentMarket$", "5x", "AgentMarket ", []row{
		{"– first answer of tonne mcp, 10⁵ orders ÷ market -o json", "≤ 1.2", "×command", ""},
	}},
	{"./ui/cli", "BenchmarkMarketCSV$", "5x", "MarketCSV/", []row{
		{"27 market -o csv, 10⁵ orders ÷ fetch and discard", "≤ 15", "orders=100000/recorded ×discard", ""},
		{"27 market -o csv, 10⁶ orders ÷ fetch and discard", "≤ 15", "orders=1000000/recorded ×discard", ""},
		{"27 the same without a record, 10⁵ orders", "≤ 15", "orders=100000/unrecorded ×discard", ""},
		{"27 the same with the first record, 10⁵ orders", "–", "orders=100000/new ×discard", ""},
		{"27 seconds of the first record and the command, 10⁵ orders", "–", "orders=100000/new s/market", ""},
		{"27 10⁶ orders ÷ 10⁵", "≤ 11", "orders=1000000/recorded s/market", "orders=100000/recorded s/market"},
		{"27 resident memory of 10⁶ orders, MiB", "≤ 100", "orders=1000000/recorded MiB", ""},
	}},
}
