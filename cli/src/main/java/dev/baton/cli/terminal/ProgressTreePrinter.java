/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;

/**
 * Prints the steps of one action as a tree, each line with its result:
 *
 * <pre>
 * Restoring checkpoint 01jd…
 *   ├── Reading the manifest... done
 *   └── Writing files... done (15MB)
 * </pre>
 *
 * On a terminal, the current step shows a progress bar of bytes; elsewhere its progress is printed
 * on stderr as a line every ten seconds. One thread begins and ends steps; any may report progress.
 */
public final class ProgressTreePrinter {
  private static final String CLEAR = ControlSequenceMarker.of("\r\u001b[K");
  private static final int BAR = 24;
  private static final long DRAW_EVERY = Duration.ofMillis(100).toNanos();
  private static final long PLAIN_EVERY = Duration.ofSeconds(10).toNanos();

  private final PrintStream out;
  private final PrintStream err;
  private final TerminalStyle style;
  private final boolean quiet;
  private final boolean terminal;

  /**
   * @param quiet print nothing at all: the result is JSON
   */
  public ProgressTreePrinter(Terminal terminal, TerminalStyle style, boolean quiet) {
    this.out = terminal.out();
    this.err = terminal.err();
    this.style = style;
    this.quiet = quiet;
    this.terminal = terminal.outIsTerminal();
  }

  /** The work of a step; its return value is printed in brackets at the end of the line. */
  @FunctionalInterface
  public interface Work {
    String run(Step step) throws IOException, InterruptedException;
  }

  public void title(String line) {
    if (!quiet) {
      out.println(line);
    }
  }

  /** Prints a line without a mark, after the tree. */
  public void say(String line) {
    if (!quiet) {
      out.println();
      out.println(line);
    }
  }

  public void step(String text, Work work) throws IOException, InterruptedException {
    run("├── " + text, work);
  }

  public void last(String text, Work work) throws IOException, InterruptedException {
    run("└── " + text, work);
  }

  private void run(String text, Work work) throws IOException, InterruptedException {
    Step step = new Step("  " + text + "...");
    boolean done = false;
    try {
      String detail = work.run(step);
      done = true;
      step.end(style.good("done") + (detail.isEmpty() ? "" : " (" + detail + ")"));
    } finally {
      if (!done) {
        step.end(style.bad("failed"));
      }
    }
  }

  /** One step in progress. Thread-safe. */
  public final class Step {
    private final String text;
    private long drawn;
    private long said = System.nanoTime();
    private boolean ended;

    private Step(String text) {
      this.text = text;
      if (terminal && !quiet) {
        out.print(text);
        out.flush();
      }
    }

    /**
     * @param total 0 when unknown
     */
    public synchronized void progress(long bytes, long total) {
      long now = System.nanoTime();
      if (quiet || ended) {
        return;
      }
      if (terminal && now - drawn >= DRAW_EVERY) {
        drawn = now;
        out.print(CLEAR + text + " " + bar(bytes, total));
        out.flush();
      } else if (!terminal && now - said >= PLAIN_EVERY) {
        said = now;
        err.println(text.strip() + " " + share(bytes, total));
      }
    }

    private synchronized void end(String how) {
      ended = true;
      if (!quiet) {
        out.println((terminal ? CLEAR : "") + text + " " + how);
      }
    }
  }

  static String bar(long bytes, long total) {
    if (total <= 0) {
      return share(bytes, total);
    }
    int full = (int) (Math.min(bytes, total) * BAR / total);
    return "[" + "█".repeat(full) + "·".repeat(BAR - full) + "] " + share(bytes, total);
  }

  private static String share(long bytes, long total) {
    return total <= 0
        ? ByteSizeFormatter.of(bytes)
        : "%d %% (%s of %s)"
            .formatted(
                Math.min(bytes, total) * 100 / total,
                ByteSizeFormatter.of(bytes),
                ByteSizeFormatter.of(total));
  }
}
