// Why a submission got `needs_work`, in one word that says what the caller has to do:
//
//   rules, checks, reviews   fix the outputs
//   self_review              let a subagent judge them
//   waiting_for_person       call again, change nothing; a person was asked
//   members_open             submit the other members of the entry
//   still_running            call again, change nothing

export const REASONS = [
  'rules',
  'checks',
  'reviews',
  'self_review',
  'waiting_for_person',
  'members_open',
  'still_running',
] as const;

export type Reason = (typeof REASONS)[number];
