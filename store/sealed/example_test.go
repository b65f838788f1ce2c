package sealed_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
	"github.com/go-reprise/reprise/store/sealed"
)

const document = `{"format": 1, "name": "sign-in", "match": {"urls": ["example.com/*"]},
	"variables": {"type": "object", "properties": {"email": {"type": "string"}, "password": {"type": "string", "writeOnly": true}}},
	"steps": [{"tool": "navigate", "url": "https://example.com/"}]}`

func Example() {
	if err := example(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// a key was made: true
	// ada@example.com [secret]
	// everything is sealed for a new key: 2 things
	// from the vault: [secret], for [https://example.com]
	// task "order": the token is not for this task
}

func example(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(ctx, filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	defer st.Close()
	keys, err := sealed.File(filepath.Join(dir, "key"), filepath.Join(dir, "data"))
	if err != nil {
		return err
	}
	safe := sealed.New(st, keys)
	made, err := safe.EnsureKeys(ctx)
	if err != nil {
		return err
	}
	fmt.Println("a key was made:", made)

	// What a task needs, and what someone signs in with.
	values, err := sealed.ParseTask([]byte(`{"email": "ada@example.com", "password": "hunter2"}`),
		map[string][]string{"password": {"https://example.com"}})
	if err != nil {
		return err
	}
	if err := safe.PutTask(ctx, sealed.Task{ID: "visit", Values: values}); err != nil {
		return err
	}
	err = safe.SetCredential(ctx, sealed.Credential{Site: "example.com", Account: "ada", Origins: []string{"https://example.com"}, Fields: map[string]string{"password": "hunter2"}})
	if err != nil {
		return err
	}

	// A run takes them: replayer.Options.Values.
	signIn, err := automation.Parse([]byte(document))
	if err != nil {
		return err
	}
	of, err := safe.Values(ctx, signIn, sealed.Scope{Task: "visit"})
	if err != nil {
		return err
	}
	email, err := of.Value(ctx, "email")
	if err != nil {
		return err
	}
	password, err := of.Value(ctx, "password")
	if err != nil {
		return err
	}
	fmt.Println(email, password)

	rotation, err := safe.Rotate(ctx, false, nil)
	if err != nil {
		return err
	}
	fmt.Printf("everything is sealed for a new key: %d things\n", rotation.Resealed)
	of, err = safe.Values(ctx, signIn, sealed.Scope{Account: "ada"})
	if err != nil {
		return err
	}
	if password, err = of.Value(ctx, "password"); err != nil {
		return err
	}
	fmt.Printf("from the vault: %v, for %v\n", password, password.(automation.Secret).Origins())

	// An agent gets a token, and with it may use a task whose secrets it never sees.
	token, err := safe.Token(ctx, sealed.Grant{Tasks: []string{"visit"}, Until: time.Now().Add(time.Hour)})
	if err != nil {
		return err
	}
	grant, err := safe.Grant(ctx, token)
	if err != nil {
		return err
	}
	fmt.Println(grant.Allowed("order", time.Now()))
	return grant.Allowed("visit", time.Now())
}

func ExampleParseTask() {
	_, err := sealed.ParseTask([]byte(`{"password": {"secret": "hunter2"}}`), nil)
	fmt.Println(err)
	// Output: the value "password" of a task: a secret says where it may be typed: write {"secret": "…", "origins": ["https://example.com"]}, or give --secret password=https://example.com
}

func ExampleParseFields() {
	fields, err := sealed.ParseFields([]byte(`{"password": "hunter2", "pin": "1234"}`))
	fmt.Println(len(fields), err)
	// Output: 2 <nil>
}

func ExampleGrant_Allowed() {
	keys, err := sealed.NewKeys()
	if err != nil {
		fmt.Println(err)
		return
	}
	token, err := keys.Token(sealed.Grant{Tasks: []string{"order-17"}, Until: time.Now().Add(-time.Minute)})
	if err != nil {
		fmt.Println(err)
		return
	}
	grant, err := keys.Grant(token)
	fmt.Println(err)
	fmt.Println(grant.Allowed("order-17", time.Now()))
	_, err = keys.Grant("reprise1.forged.c2ln")
	fmt.Println(err)
	// Output:
	// <nil>
	// task "order-17": the token has run out: ask for another one (reprise task token)
	// this is no token of these keys
}

func ExampleSecretStore_Login() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	st, err := store.Open(ctx, filepath.Join(dir, "data"))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer st.Close()
	keys, err := sealed.File(filepath.Join(dir, "key"), filepath.Join(dir, "data"))
	if err != nil {
		fmt.Println(err)
		return
	}
	safe := sealed.New(st, keys)
	if _, err := safe.EnsureKeys(ctx); err != nil {
		fmt.Println(err)
		return
	}
	// browser.Page.StorageState gives one: its Secret.
	state, err := automation.NewSecret(`{"format": 1}`, "https://shop.example")
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := safe.SaveLogin(ctx, sealed.Login{Name: "shop.example", Account: "ada", State: state}); err != nil {
		fmt.Println(err)
		return
	}
	login, err := safe.Login(ctx, "shop.example", "ada")
	fmt.Println(login.State, login.State.Origins(), err)
	_, err = safe.Login(ctx, "shop.example", "grace")
	fmt.Println(err)
	// Output:
	// [secret] [https://shop.example] <nil>
	// store: there is no login "shop.example" of the account "grace": `reprise login list` shows what there is
}

func ExampleKeyring() {
	fmt.Println(sealed.Keyring())
	// Output: the system's keyring
}
