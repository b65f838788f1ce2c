// Reprise and what other projects use, side by side.

import { recorder } from "./peers/chrome";
import { absolute, generator, medv } from "./peers/css";
import { playwright } from "./peers/playwright";
import { reprise } from "./reprise";
import { serve } from "./serve";

serve([reprise, playwright, recorder, medv, generator, absolute]);
