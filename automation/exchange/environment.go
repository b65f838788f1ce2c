package exchange

import (
	"fmt"
	"strings"
)

// environment gives each variable of a document a name in the environment, for
// programs that read its value there: REPRISE_EMAIL.
func (w *writer) environment() map[string]string {
	names, taken := map[string]string{}, map[string]bool{}
	for _, name := range w.declared.Names() {
		base := "REPRISE_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
		unique := base
		for n := 2; taken[unique]; n++ {
			unique = fmt.Sprintf("%s_%d", base, n)
		}
		names[name], taken[unique] = unique, true
	}
	return names
}
