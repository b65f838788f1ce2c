package automation

import "slices"

// Reason is why a person is needed.
type Reason string

// The reasons.
const (
	ReasonLogin          Reason = "login"           // the site wants someone to sign in
	Reason2FA            Reason = "2fa"             // it wants a second factor: a one-time code, a prompt on a phone
	ReasonCaptcha        Reason = "captcha"         // it checks that there is a human
	ReasonPermission     Reason = "permission"      // it asks for consent, or for a permission
	ReasonApproval       Reason = "approval"        // a commit step must be allowed
	ReasonManualRecovery Reason = "manual_recovery" // it cannot be gone on with automatically
	ReasonOther          Reason = "other"
)

// Reasons returns all of them.
func Reasons() []Reason {
	return []Reason{ReasonLogin, Reason2FA, ReasonCaptcha, ReasonPermission, ReasonApproval, ReasonManualRecovery, ReasonOther}
}

// CanBeLearned reports whether an automation may deal with it, so that no person is needed the next time: a second
// factor, an approval and what no one foresaw always need one.
func (r Reason) CanBeLearned() bool {
	return r == ReasonLogin || r == ReasonCaptcha || r == ReasonPermission
}

// earlierReasons are the words that earlier versions used, and what page scripts find.
var earlierReasons = map[string]Reason{
	"sign_in": ReasonLogin, "one_time_code": Reason2FA, "human_check": ReasonCaptcha, "consent": ReasonPermission,
	"payment": ReasonApproval, "question": ReasonOther, "check_outcome": ReasonManualRecovery, "": ReasonManualRecovery,
}

// ReasonOf returns the reason that a word stands for: ReasonOther for one that is none.
func ReasonOf(word string) Reason {
	if r := Reason(word); slices.Contains(Reasons(), r) {
		return r
	}
	if r, ok := earlierReasons[word]; ok {
		return r
	}
	return ReasonOther
}
