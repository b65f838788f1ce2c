package cli

import "testing"

func TestAReportIsOpenedWhereThereIsAScreen(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		system string
		env    map[string]string
		want   string
	}{
		{"darwin", nil, "open"},
		{"linux", nil, ""},
		{"linux", map[string]string{"DISPLAY": ":0"}, "xdg-open"},
		{"linux", map[string]string{"WAYLAND_DISPLAY": "wayland-0"}, "xdg-open"},
	} {
		if got := openerOf(test.system, func(name string) string { return test.env[name] }); got != test.want {
			t.Errorf("on %s with %v it is opened by %q, want %q", test.system, test.env, got, test.want)
		}
	}
}
