/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.milestone;

/** Reports that a milestone could not be created; the message states the remedy. */
public final class MilestoneException extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean mayPass;

  MilestoneException(String message, boolean mayPass) {
    super(message);
    this.mayPass = mayPass;
  }

  MilestoneException(String message, Throwable cause) {
    super(message, cause);
    this.mayPass = true;
  }

  /** Whether another attempt could succeed. */
  public boolean mayPass() {
    return mayPass;
  }
}
