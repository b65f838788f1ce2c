// Package netrule says what kind of network address a page is about to reach. It looks
// at addresses and names only: it neither resolves nor connects.
package netrule

import (
	"net/netip"
	"slices"
	"strings"
)

// Class is what an address is to a page.
type Class int

// Classes of addresses, from the most to the least reachable.
const (
	// Public is an address that anyone can reach.
	Public Class = iota
	// Private is an address of this machine or of its own network.
	Private
	// Forbidden is a link-local or metadata address, from which machines in a cloud read
	// their own credentials. A page there is never part of a flow, and a document must not
	// be able to show it to anyone.
	Forbidden
)

// ForbiddenReason is what a refused forbidden address is told by.
const ForbiddenReason = "link-local and metadata addresses are never opened"

var metadataHosts = []string{"metadata", "metadata.google.internal", "metadata.goog", "instance-data", "instance-data.ec2.internal", "metadata.azure.internal"}

var forbidden = prefixes(
	"169.254.0.0/16",     // link-local; most clouds
	"fe80::/10",          // link-local
	"fd00:ec2::/32",      // Amazon
	"100.100.100.200/32", // Alibaba
	"168.63.129.16/32",   // Azure
	"192.0.0.192/32",     // Oracle
	"0.0.0.0/8",          // "this host": Linux connects to loopback
)

var private = prefixes(
	"127.0.0.0/8", "::1/128", // loopback
	"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", // RFC 1918
	"fc00::/7", "fec0::/10", // unique and site-local
	"100.64.0.0/10",              // carrier-grade NAT
	"192.0.0.0/24",               // IETF protocol assignments
	"224.0.0.0/4", "240.0.0.0/4", // multicast, reserved and broadcast
	"ff00::/8",       // multicast
	"64:ff9b:1::/48", // NAT64 of a network's own
	"2001::/32",      // Teredo, long out of use
)

// embeddings are IPv6 prefixes with an IPv4 address after them, at the byte given.
var embeddings = []struct {
	prefix netip.Prefix
	at     int
}{
	{netip.MustParsePrefix("64:ff9b::/96"), 12},    // NAT64
	{netip.MustParsePrefix("::ffff:0:0:0/96"), 12}, // IPv4-translated
	{netip.MustParsePrefix("::/96"), 12},           // IPv4-compatible, long out of use
	{netip.MustParsePrefix("2002::/16"), 2},        // 6to4
}

func prefixes(texts ...string) []netip.Prefix {
	parsed := make([]netip.Prefix, len(texts))
	for i, text := range texts {
		parsed[i] = netip.MustParsePrefix(text)
	}
	return parsed
}

// Of returns the class of an IP address, in whichever form it is written.
func Of(ip netip.Addr) Class {
	ip = embedded(ip.WithZone(""))
	contains := func(p netip.Prefix) bool { return p.Contains(ip) }
	switch {
	case slices.ContainsFunc(forbidden, contains):
		return Forbidden
	case slices.ContainsFunc(private, contains):
		return Private
	}
	return Public
}

// IsMetadataName reports whether a host is known to be a cloud's metadata service.
func IsMetadataName(host string) bool {
	return slices.Contains(metadataHosts, strings.ToLower(strings.TrimSuffix(host, ".")))
}

// embedded returns the IPv4 address that an IPv6 one stands for, else the address itself.
func embedded(ip netip.Addr) netip.Addr {
	if ip = ip.Unmap(); ip.Is4() || ip == netip.IPv6Loopback() {
		return ip
	}
	for _, e := range embeddings {
		if b := ip.As16(); e.prefix.Contains(ip) {
			return netip.AddrFrom4([4]byte(b[e.at : e.at+4]))
		}
	}
	return ip
}
