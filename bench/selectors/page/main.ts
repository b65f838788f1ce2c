// What the harness outside calls, with Reprise alone: see peers.ts for the rest.

import { serve } from "./serve";
import { reprise } from "./reprise";

serve([reprise]);
