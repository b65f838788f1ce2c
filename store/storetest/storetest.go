// Package storetest is what every store must do, as tests. A store's package
// runs them on its own kind:
//
//	func TestConformance(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) store.Store { … })
//	}
package storetest

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/go-reprise/reprise/automation"
	"github.com/go-reprise/reprise/store"
)

// Run tests a kind of store. open returns an empty one; it is closed when its
// test ends.
func Run(t *testing.T, open func(t *testing.T) store.Store) {
	tests := []struct {
		name string
		run  func(*testing.T, store.Store)
	}{
		{"AnEmptyStoreHasNothing", emptyStore},
		{"WhatIsSavedIsWhatIsRead", saveAndGet},
		{"WhatLooksLikeASecretIsNotSaved", refusesSecrets},
		{"GettingNamesTheOtherAccounts", notFoundNames},
		{"ARevisionMustBeTheStoredOne", revisions},
		{"ADeletedAutomationIsGone", deleting},
		{"AnInvalidDocumentIsRefused", invalidDocument},
		{"CopiesArePrivate", privateCopies},
		{"ListingIsByNameAndAccount", listing},
		{"AListCanBeLeft", leavingAList},
		{"OddAccountsStayApart", oddAccounts},
		{"NamesThatCannotBeAreNotFound", oddNames},
		{"ALongAccountIsKeptOrRefused", longAccount},
		{"AToolOfAProgramIsKept", ownTools},
		{"MatchFindsTheMostSpecific", matching},
		{"MatchBlockerFindsWhatDealsWithIt", blockers},
		{"MatchNamesBothOfATie", ambiguity},
		{"MatchFollowsChanges", matchFollows},
		{"MatchAnswersAsTheIndexDoes", walk},
		{"NoUpdateIsLostAmongWriters", lostUpdates},
		{"OneOfManyCreatorsWins", creators},
		{"ReadersSeeWholeDocuments", readersAndWriters},
		{"MatchGivesWhatMatches", matchesWhatItGives},
		{"RunsAreKept", runsKept},
		{"ARunKeepsWhatItProposes", runKeepsItsProposal},
		{"RunsAreListedNewestFirst", runsListed},
		{"RunsOfAnOwnerAreListedAlone", runsOfOwner},
		{"AnInvalidRunIsRefused", invalidRun},
		{"WhatWasSentIsNotSentAgain", commitsNoted},
		{"CommitsOfRunsStayApart", commitsStayApart},
		{"OneOfManyMaySend", oneSender},
		{"ACommitOfNoRunIsRefused", invalidCommits},
		{"WhatWasSentCanBeListed", notedRuns},
		{"AnUnresolvedCommitIsFoundWhereverItIs", unresolvedCommits},
		{"EnvelopesAreKept", envelopesKept},
		{"EnvelopesAreListedByNameAndAccount", envelopesListed},
		{"AnEnvelopesRevisionMustBeTheStoredOne", envelopeRevisions},
		{"WhatIsNotSealedIsNotKept", openEnvelopes},
		{"NoUpdateOfAnEnvelopeIsLost", envelopeWriters},
		{"CallsAreKeptInTheirOrder", callsKept},
		{"ACallIsWrittenDownOnce", callsOnce},
		{"TheLastCallsOfAllSessionsAreFound", callsRecent},
		{"TheLastCallsOfAnOwnerAreFoundAlone", callsOfOwner},
		{"ManyWritersMakeOneTrace", callsConcurrent},
		{"AnInvalidCallIsRefused", invalidCalls},
		{"ApprovalsAreKept", approvalsKept},
		{"AnApprovalIsAnsweredOnceByWhomItWasOfferedTo", approvalsAnsweredOnce},
		{"SilenceIsANo", approvalsExpire},
		{"AYesCountsOnceAndForItsRun", approvalsSpentOnce},
		{"ARunWaitsForOneAnswer", approvalsWithdrawn},
		{"OneOfManyAnswersCounts", oneAnswer},
		{"AnAnswerIsWaitedFor", approvalsWaitedFor},
		{"AnInvalidQuestionIsRefused", invalidApprovals},
		{"LimitsAreStored", limitsStored},
		{"AnInvalidLimitIsRefused", invalidLimits},
		{"APaymentWithinALimitIsReservedWithItsCommit", paymentsReserved},
		{"WhatIsNotWithinALimitIsNotBegun", paymentsNotWithin},
		{"AnUncertainPaymentStaysReserved", paymentsUncertain},
		{"OfManyPaymentsAtOnceNoMoreAreBegunThanALimitAllows", paymentsAtOnce},
		{"WhatALimitCountsIsNotPruned", paymentsPruned},
		{"HandoffsAreKept", handoffsKept},
		{"AHandoffEndsOnce", handoffsEndOnce},
		{"AHandoffIsExtended", handoffsExtended},
		{"EventsOfAHandoffAreKeptInTheirOrder", handoffEvents},
		{"AnInvalidHandoffIsRefused", invalidHandoffs},
		{"BrowsersAreStored", browsersStored},
		{"AnInvalidBrowserIsRefused", invalidBrowsers},
		{"OneRunAtATimeHasALease", leasesTaken},
		{"TheStoreOfALeaseNotesAndSaves", leasedStore},
		{"WhatHasEndedIsPruned", pruneRuns},
		{"ARunWhoseProcessDiedIsPrunedWhenOld", pruneLost},
		{"WhatKeepsAStepFromBeingSentTwiceIsNotPruned", pruneCommits},
		{"WhatAnOpenRunNeedsIsNotPruned", pruneWhatBelongsToRuns},
		{"ACancelledContextGivesItsCause", cancelled},
		{"AClosedStoreSaysSo", closed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			})
			test.run(t, s)
		})
	}
}

// Document returns a valid automation that has something in most of its fields.
// Without urls it is for https://NAME.example.
func Document(t testing.TB, name, account string, urls ...string) *automation.Automation {
	t.Helper()
	if len(urls) == 0 {
		urls = []string{name + ".example/*"}
	}
	a, err := automation.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	a.Name, a.Match.Account, a.Match.URLs = name, account, urls
	return a
}

const document = `{
  "format": 1,
  "name": "login",
  "description": "Sign in <quickly> & safely, für alle",
  "match": {"urls": ["login.example/*"]},
  "variables": {
    "type": "object",
    "properties": {
      "email": {"type": "string", "format": "email"},
      "password": {"type": "string", "writeOnly": true}
    },
    "required": ["email"], "additionalProperties": false
  },
  "steps": [
    {"tool": "navigate", "url": "https://login.example/"},
    {"tool": "typeInput", "selector": "#email", "alternatives": ["aria/E-mail[role=\"textbox\"]"],
     "value": {"kind": "variable", "name": "email"}, "intent": "enter the e-mail address"},
    {"tool": "click", "selector": "#next", "offset": {"x": 0.25, "y": 0.5}, "optional": true}
  ],
  "x": {"note": "<kept> & whole"}
}`

func save(t *testing.T, s store.Store, a *automation.Automation) *automation.Automation {
	t.Helper()
	saved, err := s.Automations().Save(t.Context(), a)
	if err != nil {
		t.Fatalf("Save(%q, %q): %v", a.Name, a.Match.Account, err)
	}
	return saved
}

func get(t *testing.T, s store.Store, name, account string) *automation.Automation {
	t.Helper()
	a, err := s.Automations().Get(t.Context(), name, account)
	if err != nil {
		t.Fatalf("Get(%q, %q): %v", name, account, err)
	}
	return a
}

func list(t *testing.T, s store.Store) []store.Summary {
	t.Helper()
	var all []store.Summary
	for one, err := range s.Automations().List(t.Context()) {
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		all = append(all, one)
	}
	return all
}

// same compares two documents as their text, which is all that a store holds.
func same(t *testing.T, what string, got, want *automation.Automation) {
	t.Helper()
	if diff := cmp.Diff(text(t, want), text(t, got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func text(t *testing.T, a *automation.Automation) string {
	t.Helper()
	data, err := automation.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// at returns a copy of a document with another revision.
func at(a *automation.Automation, revision int) *automation.Automation {
	c := *a
	c.Revision = revision
	return &c
}

func wantNotFound(t *testing.T, what string, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrNotFound) {
		t.Errorf("%s: got %v, want an error that is ErrNotFound", what, err)
	}
}

func wantConflict(t *testing.T, what string, err error, have, stored int) {
	t.Helper()
	var conflict *store.ConflictError
	if !errors.Is(err, store.ErrConflict) || !errors.As(err, &conflict) {
		t.Errorf("%s: got %v, want a ConflictError", what, err)
		return
	}
	if conflict.Have != have || conflict.Stored != stored {
		t.Errorf("%s: the conflict is of %d with %d, want %d with %d", what, conflict.Have, conflict.Stored, have, stored)
	}
}

// calls is every method that takes a context.
func calls(t *testing.T, s store.Store) map[string]func(context.Context) error {
	id := store.NewRunID()
	all := map[string]func(context.Context) error{
		"Save": func(ctx context.Context) error {
			_, err := s.Automations().Save(ctx, Document(t, "other", ""))
			return err
		},
		"Get": func(ctx context.Context) error {
			_, err := s.Automations().Get(ctx, "login", "")
			return err
		},
		"List": func(ctx context.Context) error {
			for _, err := range s.Automations().List(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"Delete": func(ctx context.Context) error {
			return s.Automations().Delete(ctx, "login", "", 1)
		},
		"Match": func(ctx context.Context) error {
			_, err := s.Automations().Match(ctx, "https://login.example/", "")
			return err
		},
		"Runs.Save": func(ctx context.Context) error {
			return s.Runs().Save(ctx, store.Run{ID: id, Automation: "login", State: store.Running})
		},
		"Runs.Get": func(ctx context.Context) error {
			_, err := s.Runs().Get(ctx, id)
			return err
		},
		"Commits.Sending": func(ctx context.Context) error { return s.Commits().Begin(ctx, id, 0) },
		"Commits.Resolve": func(ctx context.Context) error { return s.Commits().Resolve(ctx, id, 0, true) },
		"Commits.Sent": func(ctx context.Context) error {
			_, err := s.Commits().Committed(ctx, id)
			return err
		},
		"Commits.Unresolved": func(ctx context.Context) error {
			_, err := s.Commits().Unresolved(ctx, id)
			return err
		},
		"Journal.RecentOf": func(ctx context.Context) error {
			_, err := s.Journal().RecentOf(ctx, "s", 1)
			return err
		},
		"Runs.ListOf": func(ctx context.Context) error {
			for _, err := range s.Runs().ListOf(ctx, "s") {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"Journal.Append": func(ctx context.Context) error {
			_, err := s.Journal().Append(ctx, call("s", "c", 0))
			return err
		},
		"Journal.Recent": func(ctx context.Context) error {
			_, err := s.Journal().Recent(ctx, 1)
			return err
		},
		"Journal.Verify": func(ctx context.Context) error {
			_, err := s.Journal().Verify(ctx, "s")
			return err
		},
		"Prune": func(ctx context.Context) error {
			for _, err := range s.Prune(ctx, store.PruneOptions{Before: time.Now()}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"Runs.List": func(ctx context.Context) error {
			for _, err := range s.Runs().List(ctx) {
				if err != nil {
					return err
				}
			}
			return nil
		},
	}
	maps.Copy(all, envelopeCalls(s))
	maps.Copy(all, approvalCalls(s, id))
	maps.Copy(all, handoffCalls(s, id))
	maps.Copy(all, limitCalls(s, id))
	return all
}

func cancelled(t *testing.T, s store.Store) {
	save(t, s, Document(t, "login", ""))
	cause := errors.New("the caller went home")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	for name, call := range calls(t, s) {
		if err := call(ctx); !errors.Is(err, cause) {
			t.Errorf("%s: got %v, want %v", name, err, cause)
		}
	}
	if names := list(t, s); len(names) != 1 {
		t.Errorf("cancelled calls changed the store: %v", names)
	}
}

func closed(t *testing.T, s store.Store) {
	save(t, s, Document(t, "login", ""))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatalf("Close: %v", err)
		}
	}
	for name, call := range calls(t, s) {
		if err := call(t.Context()); !errors.Is(err, store.ErrClosed) {
			t.Errorf("%s: got %v, want ErrClosed", name, err)
		}
	}
}
