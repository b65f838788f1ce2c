package replayer_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
)

func TestMain(m *testing.M) {
	if isChild() {
		if err := payAsChild(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	browsertest.Main(m)
}
