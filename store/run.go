package store

import (
	"bytes"
	"crypto/rand"
	"encoding/base32"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/go-reprise/reprise/automation"
)

// Run is the record of one run: what was played, for whom, and how each step
// went. It has no place for the values that the run was given; what it proposes is
// a document, which has none either.
type Run struct {
	ID         string // from NewRunID
	Automation string
	Account    string
	Revision   int // of the automation that was played; 0 if it was not stored
	State      RunState
	Started    time.Time // zero while it is queued
	Finished   time.Time // zero until it ends
	Code       string    // why it did not end well: "gone", "timeout", …
	Reason     string    // the same in words
	Steps      []RunStep
	// Process performs it, or did: one that has gone while the State is Running was lost,
	// without recording a result. nil where that is not known.
	Process *Process
	// Page is the one that it was played in, as its browser names it, and Resume the token
	// to resume it with; "" where there is none.
	Page, Resume string
	// Owner is the agent that began it: its session, or what outlasts that (never a token, at
	// most its hash). "" where no agent did.
	Owner string
	// PlayedFor is the account that it was played for, which may be one that the automation,
	// as one for any account, does not name; "" for none.
	PlayedFor string
	// Task and Login are the names of those that it was given, with which it can be started again; "" for none.
	Task, Login string
	Report      string // the file that shows it, "" for none
	// Downloads are the files that its pages downloaded, also those that were not saved.
	Downloads []Download
	// Handoffs are the IDs of those in which a person had the page of the run.
	Handoffs []string
	// Drift are the steps whose element was found, and is no longer quite what was
	// recorded. Proposal is the document with them renewed, as it would be saved:
	// nil where nothing has drifted, and for a run that did not end well.
	Drift    []Drift
	Proposal *automation.Automation
	// Guard is what a guard of the agent's answers (agent/autonomy) had counted when the
	// run ended; nil where there was none.
	Guard *GuardCounts
}

// GuardCounts is how often an agent stopped to ask, and what was done about it. It holds
// none of the texts.
type GuardCounts struct {
	Answers     int            `json:"answers"`
	Asking      int            `json:"asking"`
	Continued   int            `json:"continued"`         // told to go on; where LogOnly, would have been
	NeedsPerson int            `json:"needs_person"`      // handed to a person
	Reported    int            `json:"reported"`          // ended there
	Reasons     map[string]int `json:"reasons,omitempty"` // by what weighed most
	Topics      map[string]int `json:"topics,omitempty"`
	LogOnly     bool           `json:"log_only,omitempty"`
}

// RunStep is how one step of a run went. Its JSON is that of a record, wherever it is shown.
type RunStep struct {
	Index    int
	Tool     string
	Intent   string
	Outcome  Outcome
	Effect   automation.Effect // on the world
	Selector string            // the one that found the element
	Matched  int               // 0 is the step's own selector, 1 its first alternative, -1 its evidence alone
	Drift    float64           // of the element from what was recorded: 0 is unchanged, 1 is nothing left
	Started  time.Time         // zero where that is not known
	Duration time.Duration
	Skipped  string   // why it was not done
	Code     string   // why it failed
	Evidence []string // pictures, as places in the report
	// Considered are the elements that came closest where none was taken, best first.
	Considered []Candidate
	// Steps are those of the automation that this step played, if it did.
	Steps []RunStep
}

// Process is a program that performs a run.
type Process struct {
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Started time.Time `json:"started,omitzero"` // the process; zero where the system does not tell
}

// Candidate is an element that was not taken, with the kinds of evidence for it and
// against it. It holds none of the page's words.
type Candidate struct {
	Element string   `json:"element"` // its tag, with its id or first class
	Weight  float64  `json:"weight"`  // natural logarithm of the odds that it is the one
	For     []string `json:"for,omitempty"`
	Against []string `json:"against,omitempty"`
}

// Drift is how far the element of a step is from what was recorded.
type Drift struct {
	Step       int      `json:"step"`           // index
	Score      float64  `json:"score"`          // 0 is unchanged, 1 is nothing left
	Healed     bool     `json:"healed"`         // the step's own selector failed
	Confidence float64  `json:"confidence"`     // that it is the right one, from 0 to 1
	Lost       []string `json:"lost,omitempty"` // selectors of the step that no longer name it
}

// Download is a file that a run downloaded.
type Download struct {
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"` // on the machine of the run's process; "" where it was not saved
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256,omitempty"`
	URL    string `json:"url"`              // without its query
	Step   int    `json:"step"`             // index of the one in which it began
	State  string `json:"state"`            // saved, canceled, unfinished, lost
	Reason string `json:"reason,omitempty"` // why it was not saved
}

// RunSummary is a run in a list.
type RunSummary struct {
	Run
	Err error // why the record cannot be read; then only ID is set
}

// RunState is the state of a run.
type RunState string

// The states of a run. The last four are ends.
const (
	Queued           RunState = "queued"
	Running          RunState = "running"
	WaitingForPerson RunState = "waiting_for_person"
	Done             RunState = "done"
	Failed           RunState = "failed"
	Uncertain        RunState = "uncertain" // a commit was sent and its consequence not seen
	Cancelled        RunState = "cancelled"
)

// Outcome is how a step ended.
type Outcome string

// The outcomes of a step.
const (
	StepDone      Outcome = "done"
	StepSkipped   Outcome = "skipped"
	StepFailed    Outcome = "failed"
	StepUncertain Outcome = "uncertain"
)

// Crockford's alphabet in lower case: no letter reads like a digit, and the
// text sorts as the bytes do.
var idEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

var idPattern = regexp.MustCompile(`^[0-9a-hjkmnp-tv-z]{26}$`)

// NewRunID returns a new identifier of 26 letters and digits. Identifiers sort
// by the millisecond that they were made in, like a ULID; within one
// millisecond their order is random.
func NewRunID() string {
	var b [16]byte
	binary.BigEndian.PutUint64(b[:8], uint64(time.Now().UnixMilli())<<16)
	_, _ = rand.Read(b[6:]) // never fails: crypto/rand ends the program instead
	return idEncoding.EncodeToString(b[:])
}

// Validate returns what is wrong with a record, as an *InvalidRunError. A store
// calls it before it writes.
func (r Run) Validate() error {
	if !idPattern.MatchString(r.ID) {
		return &InvalidRunError{r.ID, "its ID is not one that NewRunID makes"}
	}
	if r.Automation == "" {
		return &InvalidRunError{r.ID, "it names no automation"}
	}
	switch r.State {
	case Queued, Running, WaitingForPerson, Done, Failed, Uncertain, Cancelled:
	default:
		return &InvalidRunError{r.ID, fmt.Sprintf("its state %q is not a state of a run", r.State)}
	}
	for i, s := range r.Steps {
		switch s.Outcome {
		case StepDone, StepSkipped, StepFailed, StepUncertain:
		default:
			return &InvalidRunError{r.ID, fmt.Sprintf("the outcome %q of its steps[%d] is not an outcome of a step", s.Outcome, i)}
		}
	}
	if r.Proposal == nil {
		return nil
	}
	if r.Proposal.Name != r.Automation || r.Proposal.Match.Account != r.Account {
		return &InvalidRunError{r.ID, fmt.Sprintf("it proposes %s, which is not what was played", describe(r.Proposal.Name, r.Proposal.Match.Account))}
	}
	if err := r.Proposal.Validate(); err != nil {
		return &InvalidRunError{r.ID, fmt.Sprintf("what it proposes is not a valid document: %v", err)}
	}
	return nil
}

// runFormat is the number of the format of run.json.
const runFormat = 1

var errRunFormat = errors.New("not a format of run records that this version reads")

// storedRun is Run as it is in a file.
type storedRun struct {
	Format     int          `json:"format"`
	ID         string       `json:"id"`
	Automation string       `json:"automation"`
	Account    string       `json:"account,omitempty"`
	Revision   int          `json:"revision,omitempty"`
	State      RunState     `json:"state"`
	Started    time.Time    `json:"started,omitzero"`
	Finished   time.Time    `json:"finished,omitzero"`
	Code       string       `json:"code,omitempty"`
	Reason     string       `json:"reason,omitempty"`
	Process    *Process     `json:"process,omitempty"`
	Page       string       `json:"page,omitempty"`
	Resume     string       `json:"resume,omitempty"`
	Owner      string       `json:"owner,omitempty"`
	PlayedFor  string       `json:"played_for,omitempty"`
	Task       string       `json:"task,omitempty"`
	Login      string       `json:"login,omitempty"`
	Report     string       `json:"report,omitempty"`
	Steps      []RunStep    `json:"steps,omitempty"`
	Drift      []Drift      `json:"drift,omitempty"`
	Guard      *GuardCounts `json:"guard,omitempty"`
	Downloads  []Download   `json:"downloads,omitempty"`
	Handoffs   []string     `json:"handoffs,omitempty"`

	Proposal *automation.Automation `json:"proposal,omitempty"`
}

type storedStep struct {
	Index    int               `json:"index"`
	Tool     string            `json:"tool"`
	Intent   string            `json:"intent,omitempty"`
	Outcome  Outcome           `json:"outcome"`
	Effect   automation.Effect `json:"effect,omitempty"`
	Selector string            `json:"selector,omitempty"`
	Matched  int               `json:"matched,omitempty"`
	Drift    float64           `json:"drift,omitempty"`
	Started  time.Time         `json:"started,omitzero"`
	Duration string            `json:"duration"`
	Skipped  string            `json:"skipped,omitempty"`
	Code     string            `json:"code,omitempty"`
	Evidence []string          `json:"evidence,omitempty"`

	Considered []Candidate `json:"considered,omitempty"`
	Steps      []RunStep   `json:"steps,omitempty"`
}

// MarshalJSON writes a step as a record has it: with the duration as text, for people.
func (s RunStep) MarshalJSON() ([]byte, error) {
	return encodePlain(storedStep{
		Index: s.Index, Tool: s.Tool, Intent: s.Intent, Outcome: s.Outcome, Effect: s.Effect,
		Selector: s.Selector, Matched: s.Matched, Drift: s.Drift, Started: s.Started.UTC().Round(0), Duration: s.Duration.String(),
		Skipped: s.Skipped, Code: s.Code, Evidence: s.Evidence, Considered: s.Considered, Steps: s.Steps,
	})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *RunStep) UnmarshalJSON(data []byte) error {
	var stored storedStep
	if err := json.Unmarshal(data, &stored); err != nil {
		return err
	}
	took, err := time.ParseDuration(stored.Duration)
	if err != nil {
		return fmt.Errorf("steps[%d].duration: %w", stored.Index, err)
	}
	*s = RunStep{
		Index: stored.Index, Tool: stored.Tool, Intent: stored.Intent, Outcome: stored.Outcome, Effect: stored.Effect,
		Selector: stored.Selector, Matched: stored.Matched, Drift: stored.Drift, Started: stored.Started, Duration: took,
		Skipped: stored.Skipped, Code: stored.Code, Evidence: stored.Evidence, Considered: stored.Considered, Steps: stored.Steps,
	}
	return nil
}

// EncodeRun returns the JSON in which a run is stored. It refuses what Validate does.
func EncodeRun(r Run) ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	stored := storedRun{
		Format:     runFormat,
		ID:         r.ID,
		Automation: r.Automation,
		Account:    r.Account,
		Revision:   r.Revision,
		State:      r.State,
		Started:    r.Started.UTC().Round(0),
		Finished:   r.Finished.UTC().Round(0),
		Code:       r.Code,
		Reason:     r.Reason,
		Process:    r.Process,
		Page:       r.Page,
		Resume:     r.Resume,
		Owner:      r.Owner,
		PlayedFor:  r.PlayedFor,
		Task:       r.Task,
		Login:      r.Login,
		Report:     r.Report,
		Steps:      r.Steps,
		Drift:      r.Drift,
		Guard:      r.Guard,
		Proposal:   r.Proposal,
		Downloads:  r.Downloads,
		Handoffs:   r.Handoffs,
	}
	data, err := encodeIndented(stored)
	if err != nil {
		return nil, fmt.Errorf("store: run %s is not saved: %w", r.ID, err)
	}
	return data, nil
}

// encodeIndented returns the JSON of a file, for people and for git: selectors are full
// of >, which stays as it is.
func encodeIndented(v any) ([]byte, error) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(v)
	return text.Bytes(), err
}

// decodeRun reads what EncodeRun returns.
func decodeRun(data []byte) (Run, error) {
	var stored storedRun
	err := json.Unmarshal(data, &stored)
	if stored.Format > runFormat || err == nil && stored.Format < 1 { // first: a newer format may have other steps
		return Run{}, fmt.Errorf("%w: format %d", errRunFormat, stored.Format)
	}
	if err != nil {
		return Run{}, err
	}
	return Run{
		ID:         stored.ID,
		Automation: stored.Automation,
		Account:    stored.Account,
		Revision:   stored.Revision,
		State:      stored.State,
		Started:    stored.Started,
		Finished:   stored.Finished,
		Code:       stored.Code,
		Reason:     stored.Reason,
		Process:    stored.Process,
		Page:       stored.Page,
		Resume:     stored.Resume,
		Owner:      stored.Owner,
		PlayedFor:  stored.PlayedFor,
		Task:       stored.Task,
		Login:      stored.Login,
		Report:     stored.Report,
		Steps:      stored.Steps,
		Drift:      stored.Drift,
		Guard:      stored.Guard,
		Proposal:   stored.Proposal,
		Downloads:  stored.Downloads,
		Handoffs:   stored.Handoffs,
	}, nil
}

// RunNotFound returns the error for a run that is not there, which is ErrNotFound. Code
// that hides a run from a caller returns it as well, so that no one can tell the two apart.
func RunNotFound(id string) error { return notFound("run", id) }

// runPattern are the names of runs: those of NewRunID, those that a player makes, and
// those of runs within them.
var runPattern = regexp.MustCompile(`^[0-9a-z]{1,64}(\.[0-9]{1,9}){0,8}$`)

// checkCommit returns an *InvalidCommitError for a step of a run that cannot be noted.
func checkCommit(run string, step int) error {
	if !runPattern.MatchString(run) || step < 0 {
		return &InvalidCommitError{run, step}
	}
	return nil
}
