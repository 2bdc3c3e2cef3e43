/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.attacks;

/**
 * An attack that succeeded on the commit before the security work.
 *
 * @param name what the attacker does
 * @param refusal a part of what is observed now that it fails
 */
record ReplayedAttack(String name, String refusal, Execution execution) {

  /**
   * Executes the attack; the same code for both versions. Throws when it can observe neither that
   * it succeeds nor that it fails.
   */
  interface Execution {
    AttackOutcome on(AttackTarget target) throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }
}
