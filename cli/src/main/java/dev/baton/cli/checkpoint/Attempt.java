/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.command.CliFailure;
import dev.baton.cli.command.ExitCode;
import java.io.IOException;

/** Work on files, whose failures are told in words. */
final class Attempt {
  private Attempt() {}

  /** What is done. */
  @FunctionalInterface
  interface Work {
    void run() throws IOException, InterruptedException;
  }

  /**
   * @param what {@code the restore}
   * @throws CliFailure that says what went wrong on this side
   */
  static void run(String what, Work work) {
    try {
      work.run();
    } catch (IOException e) {
      String why = e.getMessage();
      throw CliFailure.of(
          ExitCode.FAILED,
          "%s failed, nothing was changed: %s"
              .formatted(what, why == null || why.isBlank() ? e.getClass().getSimpleName() : why),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliFailure.of(ExitCode.INTERRUPTED, "interrupted", e);
    }
  }
}
