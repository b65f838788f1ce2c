// What the engine asks of an element, and what it is told.

import type { Description } from "../describe/describe";
import type { Caret } from "../dom/caret";
import type { Considered, Tried, Wanted } from "../locate/locate";
import type { CommitEvidence } from "./commit";

export type Use = "click" | "type" | "keys" | "select" | "check" | "upload" | "drag" | "aim" | "focus" | "see" | "hover" | "state" | "read" | "kind" | "where" | "away" | "focused" | "typed" | "months" | "calendar";

export interface Request extends Wanted {
  use: Use;
  timeout: number; // ms
  offset?: { x: number; y: number }; // fractions of the border box
  checked?: boolean; // use "check": the state that is wanted
  values?: string[]; // use "select": values or labels; "upload": as many as there are files
  value?: string; // use "type", "typed"
  at?: Caret; // use "type", "keys": where the value is put; without it, it replaces what the field holds
  secret?: boolean; // the value is one
  origins?: string[]; // where the value may be typed
  state?: string; // use "state"
  text?: string; // use "state": what it should say
  attribute?: string; // of which; without one it is what a person reads
  compare?: string; // "equals", "contains" or "not"
  seen?: boolean; // use "read": only of an element that a person sees
  all?: boolean; // use "read": all that the first selector names that names any
  hovered?: boolean; // the mouse has just come over what may show it
  uncovered?: boolean; // the field that was typed into has just been pressed, which may close what covers the element
  key?: string; // use "focus": that will be pressed
  sent?: boolean; // uses "check", "click", "focus": the page may have sent something since the last of these
  closed?: boolean; // to be told as "closed" where what the last press has opened has gone, or it has opened nothing
  untyped?: boolean; // to be told as "untyped" where a field has gone into which something was typed
  guess?: boolean; // the caller may be guessing what the page says
  again?: boolean; // the element of the request before is meant, if it has the focus: using it may have changed how it is named
  typedInto?: Wanted[]; // use "type", "keys": the fields that recordings type the secret into; without a list any field takes it
  turned?: string[]; // use "click": the states that the recorded press gave to it
  optional?: boolean; // its absence is known as soon as the page rests
}

export interface Reply {
  ok: boolean;
  done?: boolean; // nothing is left to do
  x?: number; // where to press, in CSS pixels of this frame's viewport
  y?: number;
  crossed?: boolean; // the point is known only within the frame depth levels up: what is around it is of another origin
  depth?: number;
  scrolled?: boolean; // the element had to be scrolled to
  matched?: number;
  evidence?: CommitEvidence; // of the control that is about to be used
  said?: string | string[]; // use "read"
  field?: string; // use "read": what the field is called that it was read from
  hover?: boolean; // it is hidden: the mouse should come over the point, which may show it
  covered?: boolean; // it cannot be pressed, as something lies over all of it
  uncover?: boolean; // it is covered: a press at the point, of the field that was typed into, may close what lies over it
  size?: [number, number]; // of what is to be pressed
  box?: [number, number, number, number]; // use "where": left, top, width, height, as parts of the page's viewport
  code?: "gone" | "ambiguous" | "changed" | "not_actionable" | "invalid_value" | "out_of_scope" | "refused" | "untyped" | "closed";
  why?: string;
  confidence?: number;
  drift?: number;
  lost?: number[]; // selectors that no longer name it
  current?: Description; // how the element is described now, where some do not
  row?: string; // of another of a kind: the hashed words of its row
  tried?: Tried[];
  considered?: Considered[];
  ref?: number; // use "upload": the field for files; without one they are dropped at the point
  empty?: boolean; // the field holds nothing that would have to be removed
  keys?: boolean; // the text is to be typed key by key
  months?: string[]; // uses "months", "calendar": that the calendar shows which it is in, as 2031-03
  turners?: string[]; // use "calendar": what may turn them, from left to right
  slides?: boolean; // a slider, which keys move
  entered?: boolean; // an editor has just got the focus, or a key that may have moved its caret: it hears where that is in a task of its own
}

/** A refusal that more waiting will not mend. */
export class Refusal extends Error {
  constructor(readonly code: NonNullable<Reply["code"]>, message: string) {
    super(message);
  }
}

/** What a use returns of an element: why it cannot be used yet, or what to press for it. */
export type Ready = Omit<Reply, "ok"> & { press?: Element };
