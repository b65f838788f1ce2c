package handoff_test

import (
	"testing"

	"github.com/go-reprise/reprise/internal/browsertest"
)

func TestMain(m *testing.M) { browsertest.Main(m) }
