/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

/** What came of an attack, with what was observed. */
sealed interface AttackOutcome {
  String observed();

  /** The attacker has what it tried to get. */
  record Succeeded(String observed) implements AttackOutcome {}

  /** It was refused, and what it would have changed is unchanged. */
  record Refused(String observed) implements AttackOutcome {}

  /** It ended with an exception: neither of the two was observed. */
  record Unclear(String observed, Throwable cause) implements AttackOutcome {}

  static AttackOutcome succeeded(String format, Object... arguments) {
    return new Succeeded(format.formatted(arguments));
  }

  static AttackOutcome refused(String format, Object... arguments) {
    return new Refused(format.formatted(arguments));
  }
}
