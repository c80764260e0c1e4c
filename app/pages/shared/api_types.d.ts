// Written by `python tests/api_types.py` from the OpenAPI document. Do not edit.

export interface Operations {
  "DELETE /v1/sign-ins/current": { path: Record<string, never>; query: Record<string, never>; body: undefined; answer: SignedOut };
  "GET /judge/{study}/preview": { path: { study: string }; query: Record<string, never>; body: undefined; answer: Preview };
  "GET /v1/designs": { path: Record<string, never>; query: Record<string, never>; body: undefined; answer: Page<DesignSummary> };
  "GET /v1/keys/current": { path: Record<string, never>; query: Record<string, never>; body: undefined; answer: KeyOut };
  "GET /v1/selectors": { path: Record<string, never>; query: Record<string, never>; body: undefined; answer: Page<SelectorSummary> };
  "GET /v1/session": { path: Record<string, never>; query: Record<string, never>; body: undefined; answer: SessionShown };
  "GET /v1/studies": { path: Record<string, never>; query: { after?: string; limit?: number }; body: undefined; answer: Page<StudyOut> };
  "GET /v1/studies/{study}": { path: { study: string }; query: Record<string, never>; body: undefined; answer: StudyOut };
  "GET /v1/studies/{study}/design": { path: { study: string }; query: Record<string, never>; body: undefined; answer: DesignOut };
  "GET /v1/studies/{study}/events": { path: { study: string }; query: Record<string, never>; body: undefined; answer: undefined };
  "GET /v1/studies/{study}/export/{format}": { path: { study: string; format: "qrels" | "qrels-real" | "run" | "pairs" | "csv" | "jsonl" }; query: { topic?: string | null; rating?: string | null; levels?: number | null; unjudged?: boolean | null; inferred?: boolean | null; pseudonyms?: boolean | null }; body: undefined; answer: undefined };
  "GET /v1/studies/{study}/pace": { path: { study: string }; query: { hours?: number }; body: undefined; answer: PaceOut };
  "GET /v1/studies/{study}/progress": { path: { study: string }; query: Record<string, never>; body: undefined; answer: StudyProgressOut };
  "GET /v1/studies/{study}/report": { path: { study: string }; query: { topic?: string | null; rating?: string | null; points?: number; pseudonyms?: boolean }; body: undefined; answer: ReportOut };
  "GET /v1/studies/{study}/report.html": { path: { study: string }; query: { topic?: string | null; rating?: string | null; points?: number; pseudonyms?: boolean }; body: undefined; answer: undefined };
  "GET /v1/studies/{study}/topics": { path: { study: string }; query: { after?: string; limit?: number }; body: undefined; answer: Page<TopicOut> };
  "GET /v1/studies/{study}/topics/{topic}": { path: { study: string; topic: string }; query: Record<string, never>; body: undefined; answer: TopicOut };
  "GET /v1/studies/{study}/topics/{topic}/classes": { path: { study: string; topic: string }; query: Record<string, never>; body: undefined; answer: ClassesOut };
  "GET /v1/studies/{study}/topics/{topic}/conflicts": { path: { study: string; topic: string }; query: { after?: number; limit?: number }; body: undefined; answer: Page<ConflictOut> };
  "GET /v1/studies/{study}/topics/{topic}/documents": { path: { study: string; topic: string }; query: { after?: number; limit?: number; texts?: boolean }; body: undefined; answer: Page<DocumentOut> };
  "GET /v1/studies/{study}/topics/{topic}/events": { path: { study: string; topic: string }; query: { after?: number | null }; body: undefined; answer: undefined };
  "GET /v1/studies/{study}/topics/{topic}/explain": { path: { study: string; topic: string }; query: { first: string; second: string }; body: undefined; answer: ExplanationOut };
  "GET /v1/studies/{study}/topics/{topic}/matrix": { path: { study: string; topic: string }; query: { bins?: number }; body: undefined; answer: MatrixOut };
  "GET /v1/studies/{study}/topics/{topic}/progress": { path: { study: string; topic: string }; query: Record<string, never>; body: undefined; answer: ProgressOut };
  "GET /v1/studies/{study}/topics/{topic}/ranking": { path: { study: string; topic: string }; query: { rating?: string | null }; body: undefined; answer: RankingOut };
  "GET /v1/studies/{study}/topics/{topic}/reliability": { path: { study: string; topic: string }; query: Record<string, never>; body: undefined; answer: ReliabilitiesOut };
  "GET /v1/studies/{study}/workers": { path: { study: string }; query: { after?: string; limit?: number }; body: undefined; answer: Page<WorkerOut> };
  "PATCH /v1/studies/{study}": { path: { study: string }; query: Record<string, never>; body: StudyChange; answer: StudyOut };
  "PATCH /v1/studies/{study}/topics/{topic}": { path: { study: string; topic: string }; query: Record<string, never>; body: TopicChange; answer: TopicOut };
  "PATCH /v1/studies/{study}/workers/{worker}": { path: { study: string; worker: string }; query: Record<string, never>; body: WorkerChange; answer: WorkerOut };
  "POST /v1/assignments/{assignment}/judgment": { path: { assignment: string }; query: Record<string, never>; body: JudgmentIn; answer: JudgmentOut };
  "POST /v1/assignments/{assignment}/skip": { path: { assignment: string }; query: Record<string, never>; body: SkipIn; answer: Skipped };
  "POST /v1/assignments/{assignment}/undo": { path: { assignment: string }; query: Record<string, never>; body: WorkerIn; answer: AssignmentOut };
  "POST /v1/session/begin": { path: Record<string, never>; query: Record<string, never>; body: SessionBeginIn; answer: SessionBegunOut };
  "POST /v1/session/finish": { path: Record<string, never>; query: Record<string, never>; body: undefined; answer: FinishOut };
  "POST /v1/session/next": { path: Record<string, never>; query: Record<string, never>; body: SessionNextIn; answer: SessionNextOut };
  "POST /v1/session/understanding": { path: Record<string, never>; query: Record<string, never>; body: SessionUnderstandingIn; answer: VerdictOut };
  "POST /v1/sign-ins/use": { path: Record<string, never>; query: Record<string, never>; body: SignInUseRequest; answer: SignedInOut };
  "POST /v1/studies": { path: Record<string, never>; query: Record<string, never>; body: StudyIn; answer: StudyOut };
  "POST /v1/studies/{study}/imports": { path: { study: string }; query: Record<string, never>; body: undefined; answer: ImportOut };
  "POST /v1/studies/{study}/retractions": { path: { study: string }; query: Record<string, never>; body: RetractionIn; answer: RetractionOut };
  "POST /v1/studies/{study}/sessions": { path: { study: string }; query: Record<string, never>; body: SessionIn; answer: SessionOut };
}

/** One page of a list; `next` is where the following page begins. */
export interface Page<Item> {
  items: Item[];
  next: string | null;
}

export interface AgreementOut {
  level: string;
  questions: number;
  answers: number;
  alpha: number | null;
  percentage: number | null;
  fleiss: number | null;
  votes: number | null;
  pairs: PairOfWorkersOut[];
}

export interface AssignmentOut {
  id: string;
  kind: "pair" | "single" | "review";
  design: string;
  study: string;
  topic: TopicBrief;
  worker: string;
  state: "open" | "held" | "lapsed" | "answered" | "skipped" | "retracted";
  attempt: number;
  left: DocumentShown | null;
  right: DocumentShown | null;
  document: DocumentShown | null;
  reviewed: Record<string, unknown> | null;
  reason: string | null;
  expires_at: string;
  token: string;
}

export interface BecauseOut {
  why: "own" | "inferred" | "goal" | "neighbours" | "workers" | "others" | "model";
  text: string;
}

export interface BinOut {
  documents: number;
  first: string;
  last: string;
  level: number | null;
}

export interface ClassesOut {
  position: number;
  boxes: string[][];
  loose: LooseOut[];
}

export interface ConflictOut {
  finding: ReasonOut;
  known: "better" | "worse" | "tie";
  because: ReasonOut[];
  reopened: string | null;
}

export interface DesignOut {
  design: string;
  shape: "pair" | "single";
  parts: Part[];
  review_parts: Part[];
  ties: boolean;
  instructions: string;
}

export interface DesignSummary {
  design: string;
  description: string;
  shape: "pair" | "single";
  options: Record<string, unknown>;
  answers: Record<string, unknown>[];
}

export interface DocumentOut {
  id: string;
  title: string;
  text: string;
  html: string | null;
  url: string | null;
  features: Record<string, number | null>;
  prior: number | null;
}

export interface DocumentShown {
  id: string;
  title: string;
  text: string;
  html: string | null;
  url: string | null;
}

export interface EffectOut {
  topic: string;
  judgments: number[];
  before: SumOut;
  after: SumOut;
  moved: MovedOut[];
  moved_documents: number;
}

export interface ExplanationOut {
  first: string;
  second: string;
  relation: "better" | "worse" | "tie" | null;
  chance: number;
  because: ReasonOut[];
}

export interface FiguresOut {
  documents: number;
  judgments: number;
  judged_pairs: number;
  inferred_pairs: number;
  unknown_pairs: number;
  classes: number;
  settled: number;
  unjudged: number;
  conflicts: number;
  open: number;
  finished: boolean;
  ended: "known" | "budget" | "plan" | "exhausted" | null;
  forecast: ForecastOut | null;
}

export interface FindingOut {
  check: string;
  found: number;
  of: number;
  needed: number;
}

export interface FinishOut {
  kind: string;
  action: string | null;
  fields: Record<string, string> | null;
  url: string | null;
  code: string | null;
}

export interface ForecastOut {
  expected: number;
  low: number;
  high: number;
}

export interface HiringRules {
  questions: number | null;
  reward: number;
  bonus: number;
  currency: string;
  budget: number;
  sessions: number | null;
  at_once: number;
  on_failure: "pay" | "hold" | "reject";
  reason: string;
  thanks: string;
  keep_away: boolean;
}

export interface HiringRulesRequest {
  questions?: number | null;
  reward?: number;
  bonus?: number;
  currency?: string;
  budget?: number;
  sessions?: number | null;
  at_once?: number;
  on_failure?: "pay" | "hold" | "reject";
  reason?: string;
  thanks?: string;
  keep_away?: boolean;
}

export interface HourOut {
  begins_at: string;
  judgments: number;
}

export interface ImportOut {
  dry_run: boolean;
  topics: ImportedTopicOut[];
  warnings: string[];
  not_shown: OmissionOut[];
}

export interface ImportedTopicOut {
  topic: string;
  title: string;
  documents: number;
  new: boolean;
}

export interface JudgmentIn {
  answer: { grade: string; } | { magnitude: number; } | { preference: "left" | "right" | "equal" | "equally_good" | "equally_bad"; } | { grade?: string | null; preference?: "left" | "right" | "equal" | "equally_good" | "equally_bad" | null; excerpt: string; } | { grade: string; excerpt: string; } | { grade: string; why: string; } | { score: number; moved?: boolean | null; } | { preference: "left" | "right"; relevant: "both" | "left" | "right" | "none"; left_score: number; right_score: number; };
  worker?: string | null;
  attempt?: number | null;
  seconds?: number | null;
  left?: string | null;
}

export interface JudgmentOut {
  study: string;
  topic: string;
  number: number | null;
  assignment: string;
  attempt: number;
  left: string;
  right: string;
  answer: Record<string, unknown>;
  first: string;
  second: string;
  outcome: "better" | "worse" | "tie" | null;
  seconds: number | null;
  late: boolean;
  created_at: string;
  verdict: VerdictOut | null;
}

export interface JudgmentsIn {
  topic: string;
  numbers: number[];
}

export interface KeyOut {
  id: string;
  scope: "admin" | "platform" | "read";
  label: string;
  created_at: string;
  revoked_at: string | null;
  expires_at: string | null;
}

export interface LooseOut {
  documents: string[];
  first: number;
  last: number;
}

export interface MatrixOut {
  position: number;
  bins: BinOut[];
  judged: number[][];
  inferred: number[][];
  pairs: number[][];
}

export interface MovedOut {
  document: string;
  before: [number, number];
  after: [number, number];
  status_before: "settled" | "open" | "unjudged";
  status_after: "settled" | "open" | "unjudged";
  because: BecauseOut[];
}

export interface OmissionOut {
  what: string;
  why: string;
  count: number;
  documents: number;
  first: string[];
}

export interface PaceOut {
  topics: number;
  documents: number;
  judgments: number;
  latest_at: string | null;
  last_hour: number;
  workers: number;
  hours: HourOut[];
  price: number | null;
  currency: string;
  spent: number | null;
  paid: PaidOut | null;
}

export interface PaidOut {
  platform: string;
  currency: string;
  spent: number;
  reserved: number;
  warnings: string[];
  state: "running" | "paused" | "stopped";
  message: string;
}

export interface PairOfWorkersOut {
  one: string;
  other: string;
  questions: number;
  percentage: number | null;
  kappa: number | null;
}

export interface Part {
  kind: string;
  name: string;
  label: string;
  choices: string[];
  labels: string[];
  least: number | null;
  most: number | null;
  start: number | null;
  optional: boolean;
  moved: string | null;
}

export interface PointOut {
  judgments: number;
  tau: number | null;
}

export interface PredictionOut {
  answers: number;
  ties: number;
  preferring: number;
  right: number;
  undecided: number;
  accuracy: number | null;
  interval: [number, number] | null;
  tie_share: number | null;
}

export interface Preview {
  study: string;
  title: string;
  design: DesignOut;
}

export interface ProgressOut {
  documents: number;
  judgments: number;
  judged_pairs: number;
  inferred_pairs: number;
  unknown_pairs: number;
  classes: number;
  settled: number;
  unjudged: number;
  conflicts: number;
  open: number;
  finished: boolean;
  ended: "known" | "budget" | "plan" | "exhausted" | null;
  forecast: ForecastOut | null;
  topic: string;
}

export interface QualityRules {
  batch: number;
  traps: number;
  traps_pass: number;
  repeats: number;
  repeats_pass: number;
  audits: number;
  seconds_per_document: number;
  seconds_pass: number;
  moved_pass: number;
  quiz: number;
  quiz_pass: number;
  attempts: number;
  on_failure: "stop" | "ignore" | "ask_again";
}

export interface QualityRulesRequest {
  batch?: number;
  traps?: number;
  traps_pass?: number;
  repeats?: number;
  repeats_pass?: number;
  audits?: number;
  seconds_per_document?: number;
  seconds_pass?: number;
  moved_pass?: number;
  quiz?: number;
  quiz_pass?: number;
  attempts?: number;
  on_failure?: "stop" | "ignore" | "ask_again";
}

export interface RankedOut {
  document: string;
  status: "settled" | "open" | "unjudged";
  level: number | null;
  ranks: [number, number];
  score: number | null;
  uncertainty: number | null;
  interval: [number, number] | null;
  certainty: number | null;
}

export interface RankingOut {
  rating: string;
  position: number;
  complete: boolean;
  classes: string[][];
  documents: RankedOut[];
}

export interface ReasonOut {
  first: string;
  second: string;
  outcome: "better" | "worse" | "tie";
  judgments: number[];
}

export interface ReliabilitiesOut {
  workers: ReliabilityOut[];
}

export interface ReliabilityOut {
  worker: string;
  answers: number;
  right: number;
  information: number;
}

export interface ReportOut {
  study: string;
  title: string;
  design: string;
  selector: string | null;
  rating: string | null;
  scale: [number, number] | null;
  grades: [number, number] | null;
  topic: string | null;
  made_at: string;
  documents: number;
  judgments: number;
  finished: number;
  ended: Record<string, number>;
  audits: PredictionOut;
  in_sample: PredictionOut;
  agreement: AgreementOut;
  convergence: PointOut[];
  weighed_by: string | null;
  workers: WorkerReportOut[];
  topics: TopicReportOut[];
}

export interface RetractionIn {
  judgments?: JudgmentsIn[];
  worker?: string | null;
  reason?: string;
  dry_run?: boolean;
}

export interface RetractionOut {
  dry_run: boolean;
  judgments: number;
  topics: EffectOut[];
}

export interface SelectorSummary {
  selector: string;
  description: string;
  options: Record<string, unknown>;
  default: boolean;
}

export interface SessionBeginIn {
  count?: number;
}

export interface SessionBegunOut {
  about: SessionShown;
  first: SessionNextOut | null;
}

export interface SessionIn {
  worker: string;
  topic?: string | null;
  count?: number | null;
  continues?: boolean;
}

export interface SessionNextIn {
  count?: number;
  held?: string[];
}

export interface SessionNextOut {
  assignments: AssignmentOut[];
  reason: "wait" | "done" | "seen" | "cap" | "paused" | "held" | "understanding" | "quiz" | "stopped" | null;
  understanding: Understanding | null;
  answered: number;
  count: number | null;
  verdict: VerdictOut | null;
}

export interface SessionOut {
  url: string;
  session: string;
  expires_at: string;
}

export interface SessionShown {
  study: string;
  title: string;
  design: DesignOut;
  worker: string;
  topic: string | null;
  count: number | null;
  answered: number;
  expires_at: string;
  hands_in: boolean;
  finished: boolean;
}

export interface SessionUnderstandingIn {
  topic: string;
  choice: string;
}

export interface SignInUseRequest {
  code: string;
}

export interface SignedInOut {
  id: string;
  scope: "admin" | "platform" | "read";
  label: string;
  created_at: string;
  revoked_at: string | null;
  expires_at: string | null;
  key: string;
}

export interface SignedOut {
  revoked: boolean;
}

export interface SkipIn {
  worker?: string | null;
  attempt?: number | null;
  reason?: string | null;
}

export interface Skipped {
  id: string;
  state: "open" | "held" | "lapsed" | "answered" | "skipped" | "retracted";
  reason: string | null;
  verdict: VerdictOut | null;
}

export interface StudyChange {
  title?: string;
  instructions?: string;
  status?: "open" | "paused" | "closed";
  lease_seconds?: number;
  undo_seconds?: number;
  undos?: number;
  judgments_per_worker?: number | null;
  platform?: string;
  platform_options?: Record<string, unknown>;
  hiring?: HiringRulesRequest;
  price?: number | null;
  currency?: string;
}

export interface StudyIn {
  title?: string;
  instructions?: string;
  design?: string;
  design_options?: Record<string, unknown>;
  ties?: boolean;
  selector?: string;
  options?: Record<string, unknown>;
  judges?: "one" | "few" | "crowd";
  votes?: number;
  on_conflict?: "older-wins" | "reopen";
  reopenings?: number;
  seed?: number;
  lease_seconds?: number;
  undo_seconds?: number;
  undos?: number;
  judgments_per_worker?: number | null;
  quality?: QualityRulesRequest;
  platform?: string;
  platform_options?: Record<string, unknown>;
  hiring?: HiringRulesRequest;
  price?: number | null;
  currency?: string;
  id?: string | null;
}

export interface StudyOut {
  title: string;
  instructions: string;
  design: string;
  design_options: Record<string, unknown>;
  ties: boolean;
  selector: string;
  options: Record<string, unknown>;
  judges: "one" | "few" | "crowd";
  votes: number;
  on_conflict: "older-wins" | "reopen";
  reopenings: number;
  seed: number;
  lease_seconds: number;
  undo_seconds: number;
  undos: number;
  judgments_per_worker: number | null;
  quality: QualityRules;
  platform: string;
  platform_options: Record<string, unknown>;
  hiring: HiringRules;
  price: number | null;
  currency: string;
  id: string;
  status: "open" | "paused" | "closed";
  created_at: string;
  options_in_force: Record<string, unknown>;
}

export interface StudyProgressOut {
  documents: number;
  judgments: number;
  conflicts: number;
  open: number;
  judged_pairs: number;
  inferred_pairs: number;
  unknown_pairs: number;
  settled: number;
  finished: number;
  ended: Record<string, number>;
  forecast: ForecastOut | null;
  topics: ProgressOut[];
}

export interface SumOut {
  judgments: number;
  known_pairs: number;
  classes: number;
  settled: number;
  conflicts: number;
}

export interface TopicBrief {
  id: string;
  title: string;
  description: string;
  narrative: string;
}

export interface TopicChange {
  status: "open" | "paused" | "closed";
}

export interface TopicOut {
  id: string;
  title: string;
  description: string;
  narrative: string;
  seed: number;
  status: "open" | "paused" | "closed";
  documents: number;
  position: number;
  created_at: string;
}

export interface TopicReportOut {
  topic: string;
  title: string;
  status: "open" | "paused" | "closed";
  workers: number;
  best: string[];
  progress: FiguresOut;
  alpha: number | null;
  audits: PredictionOut;
  in_sample: PredictionOut;
  convergence: PointOut[];
}

export interface Understanding {
  topic: string;
  question: string;
  choices: string[];
}

export interface VerdictOut {
  topic: string;
  check: "batch" | "quiz" | "understanding";
  number: number;
  attempt: number;
  passed: boolean;
  effect: "none" | "ask_again" | "ignore" | "stop" | "stop_and_ignore";
  findings: FindingOut[];
  created_at: string;
}

export interface WorkerChange {
  status: "active" | "blocked" | "stopped";
}

export interface WorkerIn {
  worker?: string | null;
  attempt?: number | null;
}

export interface WorkerOut {
  id: string;
  status: "active" | "blocked" | "stopped";
  created_at: string;
  answered: number;
  retracted: number;
  skipped: number;
  open: number;
}

export interface WorkerReportOut {
  worker: string;
  status: "active" | "blocked" | "stopped";
  judgments: number;
  checks: number;
  retracted: number;
  gold: number;
  gold_accuracy: number | null;
  triads: number;
  intransitivity: number | null;
  repeated: number;
  self_consistency: number | null;
  reliability: number | null;
  median_seconds: number | null;
  passed: number;
  failed: number;
}
