package retirement

import (
	"net/url"
	"strings"

	"tonne/model"
)

// projectPages are the public pages of projects, without their number at the end.
var projectPages = map[string]string{
	Verra:        "https://registry.verra.org/app/projectDetail/VCS/",
	GoldStandard: "https://registry.goldstandard.org/projects?q=gs",
	ACR:          "https://acr2.apx.com/mymodule/reg/prjView.asp?id1=",
	CAR:          "https://thereserve2.apx.com/mymodule/reg/prjView.asp?id1=",
	ART:          "https://art.apx.com/mymodule/reg/prjView.asp?id1=",
}

// RegistryLink returns the https page of credits of a vintage: that of the vintage or the
// project, or the one of the project's number, which the serial number may have too. It is
// empty for none.
func RegistryLink(p model.Project, vintageID string, s Serial) string {
	for _, v := range p.Vintages {
		if v.ID == vintageID && isPublicPage(v.RegistryURL) {
			return v.RegistryURL
		}
	}
	if isPublicPage(p.RegistryURL) {
		return p.RegistryURL
	}
	registry, number := RegistryNumber(p)
	if number == "" {
		registry, number = s.Registry, s.Project
	}
	if page := projectPages[registry]; page != "" && number != "" {
		return page + number
	}
	return ""
}

func isPublicPage(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Scheme == "https" && u.Hostname() != "" && u.User == nil && !strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f })
}
