package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/google/renameio/v2"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/internal/cli/render"
	"github.com/go-reprise/reprise/store"
)

// existsError is a recording that would take the place of another.
type existsError struct {
	what, instead string
	goOn          bool // it can be gone on with
}

func (e *existsError) Error() string {
	goOn := ""
	if e.goOn {
		goOn = ", go on with it with --append"
	}
	return fmt.Sprintf("%s is already kept: choose another %s%s, or replace it with --replace", e.what, e.instead, goOn)
}

// keptError is something that went wrong with a recording which is kept all the same.
type keptError struct {
	err  error
	file string
}

func (e *keptError) Error() string {
	return fmt.Sprintf("%v\nWhat was recorded is in %s", e.err, e.file)
}

func (e *keptError) Unwrap() error { return e.err }

// keeper knows where a recording goes.
type keeper struct {
	app      *app
	out      string      // a file; "" for the store
	name     string      // that was given, and may have been changed at the desk
	store    store.Store // nil for a file
	revision int         // of the document that is replaced

	before *automation.Automation // the document that the recording goes on with, nil for none
}

// keeperFor finds out before a person records whether there is room for it.
func (a *app) keeperFor(ctx context.Context, o *recordOptions) (*keeper, error) {
	if o.out != "" {
		_, err := os.Lstat(o.out)
		if err == nil && !o.replace {
			return nil, &existsError{what: o.out, instead: "--out"}
		}
		return &keeper{app: a, out: o.out}, nil
	}
	kept, err := a.openStore(ctx)
	if err != nil {
		return nil, err
	}
	k := &keeper{app: a, store: kept, name: o.name}
	old, err := kept.Automations().Get(ctx, o.name, o.account)
	switch {
	case errors.Is(err, store.ErrNotFound) && !o.goOn:
	case o.goOn && err == nil:
		k.before, k.revision = old, old.Revision
	case !o.replace && err == nil:
		err = &existsError{what: fmt.Sprintf("%s (revision %d)", label(o.name, o.account), old.Revision), instead: "--name or --account", goOn: o.url != ""}
		return nil, errors.Join(err, kept.Close())
	case o.replace && err == nil:
		k.revision = old.Revision
	default:
		return nil, errors.Join(err, kept.Close())
	}
	return k, nil
}

// label is how a person calls a document.
func label(name, account string) string {
	if account == "" {
		return name
	}
	return name + " for " + account
}

func (k *keeper) close() {
	if k.store != nil {
		k.app.warn(k.store.Close())
	}
}

// save gives the document as it was kept, and its file.
func (k *keeper) save(ctx context.Context, a *automation.Automation) (*automation.Automation, string, error) {
	if k.before != nil {
		whole, err := automation.Join(k.before, a)
		if err != nil {
			return nil, "", err
		}
		a = whole
	}
	if k.store == nil {
		if err := a.CheckSecrets(); err != nil {
			return nil, "", err
		}
		return a, k.out, writeDocument(k.out, a)
	}
	if a.Name == k.name { // under another name it takes the place of none
		a.Revision = k.revision
	}
	saved, err := k.store.Automations().Save(ctx, a)
	if err != nil {
		return nil, "", err
	}
	return saved, k.app.documentPath(saved.Name, saved.Match.Account), nil
}

// ownFile is the mode of a document: it says which accounts a person has.
const ownFile fs.FileMode = 0o600

func writeDocument(file string, a *automation.Automation) error {
	data, err := automation.Marshal(a)
	if err != nil {
		return err
	}
	return renameio.WriteFile(file, data, ownFile)
}

// rescue puts a document that could not be kept where its person finds it.
func rescue(a *automation.Automation) (string, error) {
	f, err := os.CreateTemp("", a.Name+"-*.json")
	if err != nil {
		return "", err
	}
	file := f.Name()
	return file, errors.Join(f.Close(), writeDocument(file, a))
}

// keep keeps what was recorded, and tells of it. failed is what went wrong while
// it was recorded.
func (a *app) keep(ctx context.Context, k *keeper, r *recorded, failed error) error {
	saved, path, err := k.save(ctx, r.document)
	if errors.Is(err, automation.ErrLooksSecret) {
		return errors.Join(fmt.Errorf("nothing was kept: %w", err), failed, errors.New("record it again without it, or say with --public why it is none"))
	}
	if err != nil {
		file, lost := rescue(r.document)
		if lost != nil {
			return errors.Join(err, failed, fmt.Errorf("and it cannot be kept elsewhere: %w", lost))
		}
		return &keptError{err: errors.Join(err, failed), file: file}
	}
	for _, o := range r.omitted {
		a.say("A step is missing: %s.", o)
	}
	report := reportOf(saved, path, r)
	switch {
	case failed != nil:
		return &keptError{err: failed, file: path}
	case a.json:
		return a.printJSON(report)
	}
	return report.tell(a, render.StyleOf(a.stdout))
}
