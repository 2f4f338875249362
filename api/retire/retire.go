// Package retire is the workflow that retires credits, exactly once, and its journal:
// no other package writes or sends such a call. The command line and the dashboard
// only read input and show results.
//
// A Submission has the lines to retire and the calls that serve them. A single
// retirement is a submission of one line. Recall takes what the journal has of the
// lines, PlanLine plans what is left, and Send does the rest:
//
//  1. It reads the market and the wallets once more. If a price, an order or a wallet
//     changed, the error is ErrMoved, and nothing is written or sent.
//  2. It writes all calls of a single retirement. A batch is not written as a whole:
//     the same batch plans its lines again.
//  3. It sends the calls in order. Each is in the journal before its first byte leaves,
//     with the price that was shown, and is sent again with the same id and body
//     while its outcome is unknown.
//
// The first call that is not done ends the submission, whichever screen sent it:
//
//   - Refused: the call had no effect. No other call of its vintage is sent, since it
//     counted on this one; a batch continues with its other vintages. The rest of a single
//     retirement is abandoned. A price that changed before the call was carried out
//     is such a refusal.
//   - Made by another journal: nothing more is sent, and the rest is abandoned. A batch
//     continues if it takes over.
//   - Unknown, turned away, or the connection was lost: nothing more is sent, and the
//     rest stays in the journal until a person resumes or abandons it, or a new plan
//     replaces it. Resume sends the same ids, and stops at the first call that
//     stays open.
//   - If no call of a single retirement had an effect or may have one, the rest is
//     abandoned.
//
// A refusal after an attempt with an unknown outcome counts only if it is received
// twice; see Workflow.Resume. A call that was abandoned while its outcome was unknown
// bars the same request until Settle records what the operator found.
package retire
