package worker

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/riverqueue/river"

	"github.com/go-reprise/reprise/automation"
)

// Order says how a document is to be played. It is kept in the database, and so has
// no place for secrets: a task has them, which it names.
type Order struct {
	Automation string `json:"automation"`
	Document   string `json:"document,omitempty"` // the account that the document is for, "" is any
	Account    string `json:"account,omitempty"`  // that it is played for
	URL        string `json:"url,omitempty"`      // to begin at, where the document does not say
	Task       string `json:"task,omitempty"`     // that has the other values, "" for none
	Login      string `json:"login,omitempty"`    // that it begins with, "" for none
	// Values are those that are no secrets.
	Values Values `json:"values,omitempty"`
	Commit string `json:"commit,omitempty"` // what becomes of steps that commit: allow, or refuse
	// AnswerWithin is how long a person is waited for who is asked in the store, in
	// nanoseconds; 0 is that nobody is asked.
	AnswerWithin time.Duration `json:"answer_within,omitempty"`

	Human   bool          `json:"human,omitempty"`
	Seed    uint64        `json:"seed,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // of a step, in nanoseconds
}

// Values are read as they were written: a number keeps its digits.
type Values map[string]any

// UnmarshalJSON reads an object, with numbers as json.Number.
func (v *Values) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return d.Decode((*map[string]any)(v))
}

// SecretError says that a value may not be queued.
type SecretError struct{ Variable, Reason string }

func (e *SecretError) Error() string {
	return fmt.Sprintf("the value of %q is not put into the queue, where others can read it: %s. Let a task have it", e.Variable, e.Reason)
}

// check refuses secrets.
func (o Order) check(doc *automation.Automation) error {
	declared, err := doc.Declared()
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(o.Values)) {
		if reason := secret(declared, name, o.Values[name]); reason != "" {
			return &SecretError{name, reason}
		}
	}
	return nil
}

// secret says why a value is one, "" for others.
func secret(declared *automation.Variables, name string, value any) string {
	if declared.IsSecret(name) {
		return "the document says that it is a secret"
	}
	switch v := value.(type) {
	case automation.Secret:
		return "it is a secret"
	case string:
		if kind := automation.LooksSecret(v); kind != "" {
			return "it looks like " + kind
		}
	case []any:
		for _, each := range v {
			if reason := secret(declared, name, each); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// job is what River keeps of a run.
type job struct {
	Run   string `json:"run"`
	Order Order  `json:"order"`
	// Lost is how many workers were lost with it, Cancelled that somebody has cancelled
	// it since.
	Lost      int  `json:"lost,omitempty"`
	Cancelled bool `json:"cancelled,omitempty"`
}

// jobKind is how River names our jobs among others'.
const jobKind = "play"

func (job) Kind() string { return jobKind }

// hostQueue begins the names of queues that one machine takes from.
const hostQueue = "host-"

var noLetter = regexp.MustCompile(`[^a-z0-9]+`)

// mostOfHost is how much of a long name of a host can be read in that of its queue, which
// has 64 characters at most.
const mostOfHost = 40

// queueOf is the queue of a host, or of all. River takes small letters and digits, so the
// rest of the name is in a few digits of its hash.
func queueOf(host string) string {
	if host == "" {
		return river.QueueDefault
	}
	host = strings.ToLower(host)
	sum := sha256.Sum256([]byte(host))
	readable := noLetter.ReplaceAllString(host, "-")
	readable = strings.Trim(readable[:min(len(readable), mostOfHost)], "-")
	return strings.TrimSuffix(hostQueue+readable, "-") + "-" + hex.EncodeToString(sum[:4])
}
