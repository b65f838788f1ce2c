package netrule

import (
	"net/netip"
	"testing"
)

func TestAddressesAreClassedInEveryForm(t *testing.T) {
	t.Parallel()
	for class, all := range map[Class][]string{
		Public: {"93.184.216.34", "2606:2800:220:1::1", "64:ff9b::5db8:d822", "2002:5db8:d822::1", "172.32.0.1", "100.128.0.1", "203.0.113.7", "::ffff:93.184.216.34"},
		Private: {
			"127.0.0.1", "127.255.0.3", "::1", "10.1.2.3", "172.31.255.255", "192.168.0.1", "fd12::1", "fec0::1", "100.64.0.1", "192.0.0.8",
			"::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "::10.0.0.1", "2002:a00:1::", "224.0.0.251", "255.255.255.255", "ff02::1", "64:ff9b:1::1", "2001:0:1::1", "::ffff:0:192.168.1.1",
		},
		Forbidden: {
			"169.254.169.254", "169.254.0.1", "fe80::1", "fe80::1%eth0", "fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192", "0.0.0.0", "0.1.2.3", "::",
			"::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "::169.254.169.254", "2002:a9fe:a9fe::1", "::ffff:0:169.254.169.254",
		},
	} {
		for _, text := range all {
			if got := Of(netip.MustParseAddr(text)); got != class {
				t.Errorf("%s: class %d, want %d", text, got, class)
			}
		}
	}
}

func TestNamesOfMetadataServicesAreKnown(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]bool{"metadata.google.internal": true, "METADATA.": true, "metadata.example": false, "": false} {
		if IsMetadataName(host) != want {
			t.Errorf("%q: %t, want %t", host, !want, want)
		}
	}
}
