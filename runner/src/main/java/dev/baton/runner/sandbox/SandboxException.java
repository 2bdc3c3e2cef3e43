/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.sandbox;

import java.io.IOException;

/** A sandbox cannot be created as its step declares it: no program of the step was started. */
public final class SandboxException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Why a sandbox cannot be created. */
  public enum Reason {
    /** This machine cannot create sandboxes. */
    UNAVAILABLE("sandbox_unavailable"),
    /** The step declares what the runner does not permit, or what does not exist. */
    REFUSED("sandbox_refused");

    private final String code;

    Reason(String code) {
      this.code = code;
    }
  }

  private final Reason reason;

  public SandboxException(Reason reason, String message) {
    super(message);
    this.reason = reason;
  }

  /** Returns the code of the step's failure. */
  public String code() {
    return reason.code;
  }
}
