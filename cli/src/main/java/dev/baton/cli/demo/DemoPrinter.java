/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.demo;

import dev.baton.cli.command.CommandContext;
import dev.baton.cli.terminal.ProgressIndicator;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;

/** Prints progress as it happens: on stdout, or on stderr when stdout is for JSON. */
final class DemoPrinter {
  private final CommandContext context;
  private final PrintStream out;
  private @Nullable ProgressIndicator progress;

  DemoPrinter(CommandContext context) {
    this.context = context;
    this.out = context.json() ? context.terminal().err() : context.terminal().out();
  }

  synchronized void title(String text) {
    line("");
    line(context.json() ? text : context.style().bold(text));
  }

  synchronized void line(String text) {
    if (progress == null) {
      out.println(text);
    } else {
      // Erases the progress line on stderr first; both may be the same terminal.
      progress.erased(() -> out.println(text));
    }
  }

  /** Starts a progress line; on a terminal it is redrawn in place. */
  synchronized ProgressIndicator begin(String text) {
    end();
    ProgressIndicator begun = ProgressIndicator.start(context.terminal(), text);
    progress = begun;
    return begun;
  }

  synchronized void end() {
    if (progress != null) {
      progress.close();
      progress = null;
    }
  }
}
