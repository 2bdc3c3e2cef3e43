/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import dev.baton.cli.command.CommandContext;
import java.util.List;

/** Prints notes on stderr. */
final class NotePrinter {
  private static final int SHOWN = 10;

  private NotePrinter() {}

  /** Prints a note if the workspace is large. */
  static void size(CommandContext context, long bytes) {
    String note = SizeClass.note(bytes);
    if (!note.isEmpty()) {
      context.terminal().err().println(note);
    }
  }

  /** Prints a heading and the first lines of a list; prints nothing for an empty list. */
  static void several(CommandContext context, String heading, List<String> lines) {
    if (lines.isEmpty()) {
      return;
    }
    var err = context.terminal().err();
    err.println("note: " + heading + ":");
    lines.stream().limit(SHOWN).forEach(line -> err.println("  " + line));
    if (lines.size() > SHOWN) {
      err.println("  … (-o json has more)");
    }
  }
}
