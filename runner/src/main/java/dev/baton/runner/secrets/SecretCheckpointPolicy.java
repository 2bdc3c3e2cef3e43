/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.secrets;

import java.util.Locale;

/** What happens to a file that contains the value of a secret when a checkpoint is created. */
public enum SecretCheckpointPolicy {
  /** The checkpoint does not contain the file, and names it. */
  STRIP,
  /** The checkpoint fails with the file's name. */
  REFUSE,
  /** Files are not searched. */
  ALLOW;

  /** Returns the policy as the setting spells it. */
  public String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
