/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.stack;

import dev.baton.cli.command.CliException;
import dev.baton.cli.terminal.Terminal;
import java.io.IOException;

/** While open, Ctrl-C stops the stack that is being started, so that no partial stack remains. */
final class StartRollback implements AutoCloseable {
  private final StackProgram program;
  private final Terminal terminal;
  private final Thread hook = new Thread(this::stop, "stack-undo");

  private StartRollback(StackProgram program, Terminal terminal) {
    this.program = program;
    this.terminal = terminal;
  }

  static StartRollback arm(StackProgram program, Terminal terminal) {
    StartRollback undo = new StartRollback(program, terminal);
    Runtime.getRuntime().addShutdownHook(undo.hook);
    return undo;
  }

  private void stop() {
    try {
      program.down(_ -> {});
    } catch (IOException | InterruptedException | CliException e) {
      terminal.err().println("baton: stopping failed: " + e.getMessage());
    }
  }

  /** Idempotent. */
  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException _) {
      // The JVM is shutting down, and the hook is running.
    }
  }
}
