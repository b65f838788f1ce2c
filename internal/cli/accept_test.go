package cli

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/storetest"
)

// renewed is a document, and what a run of it proposes.
func renewed(t *testing.T) (played, proposal *automation.Automation) {
	t.Helper()
	played, proposal = storetest.Document(t, "order", ""), storetest.Document(t, "order", "")
	proposal.Steps[2].Selector, proposal.Steps[2].Offset = proposal.Steps[1].Alternatives[0], nil
	return played, proposal
}

func TestAcceptingDoesNotOverwriteWhatSomebodySavedMeanwhile(t *testing.T) {
	t.Parallel()
	a := &app{data: t.TempDir()}
	kept, err := store.Open(t.Context(), a.data)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { kept.Close() })
	played, proposal := renewed(t)
	saved, err := kept.Automations().Save(t.Context(), played)
	if err != nil {
		t.Fatal(err)
	}
	proposal.Revision = saved.Revision
	saved.Description = "edited by somebody"
	if _, err := kept.Automations().Save(t.Context(), saved); err != nil {
		t.Fatal(err)
	}
	_, err = a.accept(t.Context(), kept, saved, proposal, "order")
	if err == nil {
		t.Fatal("it was saved over")
	}
	if f := describe(err); f.Code != "conflict" || f.exit != exitFailed || !strings.Contains(f.Reason, "the run went well") || !strings.Contains(f.Reason, "Play it again") {
		t.Errorf("accepting gives %+v", f)
	}
	now, err := kept.Automations().Get(t.Context(), "order", "")
	if err != nil || now.Description != "edited by somebody" || now.Revision != 2 {
		t.Errorf("the stored document is %+v, %v", now, err)
	}
}

func TestAcceptingDoesNotOverwriteAFileThatWasEditedMeanwhile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "order.json")
	played, proposal := renewed(t)
	edited, _ := renewed(t)
	edited.Description = "edited by somebody"
	if err := writeDocument(file, edited); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, err = (&app{}).accept(t.Context(), nil, played, proposal, file)
	if err == nil {
		t.Fatal("it was written over")
	}
	var moved *movedError
	if f := describe(err); !errors.As(err, &moved) || f.Code != "conflict" {
		t.Errorf("accepting gives %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || string(after) != string(before) {
		t.Errorf("the file is now\n%s\n%v", after, err)
	}
}

func TestAcceptingIntoAFileThatHasGoneSaysSo(t *testing.T) {
	t.Parallel()
	played, proposal := renewed(t)
	_, err := (&app{}).accept(t.Context(), nil, played, proposal, filepath.Join(t.TempDir(), "gone.json"))
	if !errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "not saved") {
		t.Errorf("accepting gives %v", err)
	}
}
