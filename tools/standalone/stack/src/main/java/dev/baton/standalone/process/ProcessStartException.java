/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.process;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;

/** A process did not become ready; the message names it and quotes the end of its log, if any. */
public final class ProcessStartException extends IOException {

  @Serial private static final long serialVersionUID = 1;

  private final String brief;

  ProcessStartException(String message) {
    super(message);
    this.brief = message;
  }

  ProcessStartException(String what, Path log, String tail) {
    super("%s; its log %s ends with:%n%s".formatted(what, log, tail));
    this.brief = what + "; its log is " + log;
  }

  /** Returns the message without the quoted log. */
  String brief() {
    return brief;
  }
}
