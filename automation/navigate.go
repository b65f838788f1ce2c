package automation

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
)

// Addresses from which cloud machines read their own credentials. A page there
// is never part of a flow, and a document must not be able to show it to anyone.
var (
	metadataHosts = []string{"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal", "metadata.azure.internal"}
	metadataIPs   = []netip.Prefix{
		netip.MustParsePrefix("169.254.0.0/16"),     // link-local; most clouds
		netip.MustParsePrefix("fe80::/10"),          // link-local
		netip.MustParsePrefix("fd00:ec2::/32"),      // Amazon
		netip.MustParsePrefix("100.100.100.200/32"), // Alibaba
		netip.MustParsePrefix("168.63.129.16/32"),   // Azure
		netip.MustParsePrefix("192.0.0.192/32"),     // Oracle
		netip.MustParsePrefix("0.0.0.0/8"),          // "this host"
		netip.MustParsePrefix("::/128"),             // the same
	}

	// IPv6 prefixes with an IPv4 address behind them, at the byte given.
	embeddings = map[netip.Prefix]int{
		netip.MustParsePrefix("64:ff9b::/96"): 12, // NAT64
		netip.MustParsePrefix("::/96"):        12, // IPv4-compatible, long out of use
		netip.MustParsePrefix("2002::/16"):    2,  // 6to4
	}
)

// CheckURL says why a browser must not be sent to this address: navigate takes
// only http and https, no user name, and no link-local or metadata address. It
// looks at what is written; it does not resolve names.
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
	for _, name := range metadataHosts {
		if host == name {
			return errors.New("a cloud's metadata service is never opened")
		}
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	if err != nil {
		return nil
	}
	ip = embedded(ip)
	for _, prefix := range metadataIPs {
		if prefix.Contains(ip) {
			return errors.New("link-local and metadata addresses are never opened")
		}
	}
	return nil
}

// embedded gives the IPv4 address that an IPv6 one stands for.
func embedded(ip netip.Addr) netip.Addr {
	for prefix, at := range embeddings {
		if b := ip.As16(); prefix.Contains(ip) && ip != netip.IPv6Loopback() {
			return netip.AddrFrom4([4]byte(b[at : at+4]))
		}
	}
	return ip.Unmap()
}
