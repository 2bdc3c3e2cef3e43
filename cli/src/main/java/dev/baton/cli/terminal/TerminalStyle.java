/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.terminal;

/** Applies colours, or none. */
public record TerminalStyle(boolean colour) {
  public String bold(String text) {
    return paint("1", text);
  }

  public String dim(String text) {
    return paint("2", text);
  }

  public String good(String text) {
    return paint("32", text);
  }

  public String bad(String text) {
    return paint("31", text);
  }

  public String busy(String text) {
    return paint("36", text);
  }

  public String attention(String text) {
    return paint("33", text);
  }

  /** Colours the status of a run or a step. */
  public String status(String status) {
    return switch (status) {
      case "completed" -> good(status);
      case "failed", "lost" -> bad(status);
      case "running", "starting", "resuming" -> busy(status);
      case "waiting", "paused", "pausing", "interrupted" -> attention(status);
      case "cancelled", "skipped" -> dim(status);
      default -> status;
    };
  }

  private String paint(String code, String text) {
    // Empty text stays empty: callers that skip empty text must recognize it.
    return colour && !text.isEmpty()
        ? ControlSequenceMarker.of("\u001b[" + code + "m")
            + text
            + ControlSequenceMarker.of("\u001b[0m")
        : text;
  }
}
