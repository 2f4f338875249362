package api

import (
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"

	"tonne/model/must"
)

func TestA422IsARefusalIfTheInterfaceListsItsCodeForRetiring(t *testing.T) {
	t.Parallel()
	page := must.Get(os.ReadFile("../docs/interface.md"))
	_, codes, _ := strings.Cut(string(page), "### 7.1 ")
	others, codes, found := strings.Cut(codes, "Retiring, in groups:")
	codes, _, ends := strings.Cut(codes, "\n## ")
	named := regexp.MustCompile("`[A-Z_]+`")
	if !found || !ends || len(named.FindAllString(codes, -1)) != 16 {
		t.Fatalf("the page lists %q", codes)
	}
	for _, code := range named.FindAllString(codes, -1) {
		if err := (&Error{Kind: Invalid, Status: 422, Code: strings.Trim(code, "`")}); !IsRefusal(err) {
			t.Errorf("%s is not named", code)
		}
	}
	for _, code := range append(named.FindAllString(others, -1), "", "CALL_UNDER_WAY") {
		if err := (&Error{Kind: Invalid, Status: 422, Code: strings.Trim(code, "`")}); IsRefusal(err) {
			t.Errorf("%s is named", code)
		}
	}
	if IsRefusal(&Error{Kind: ServerError, Status: 500, Code: "SELL_ORDER_NOT_LIVE"}) || IsRefusal(errors.New("other")) {
		t.Error("what is no refusal is named")
	}
}
