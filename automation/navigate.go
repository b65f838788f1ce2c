package automation

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/go-reprise/reprise/internal/netrule"
)

// CheckURL says why a browser must not be sent to this address: navigate takes
// only http and https, no user name, and no link-local or metadata address. It
// looks at what is written; it does not resolve names, which a browser's gate does.
func CheckURL(raw string) error {
	a, err := parseAddress(raw)
	if err == nil {
		err = refuseHost(a.host)
	}
	if err != nil {
		return fmt.Errorf("address %q: %w", shortURL(raw), err)
	}
	return nil
}

func refuseHost(host string) error {
	if netrule.IsMetadataName(host) {
		return errors.New("a cloud's metadata service is never opened")
	}
	if ip, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil && netrule.Of(ip) == netrule.Forbidden {
		return errors.New(netrule.ForbiddenReason)
	}
	return nil
}
