/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** What becomes of a shell step's result. */
public sealed interface ShellOutput {
  /** How text becomes JSON. */
  enum As {
    /** A string, without the line ends at its end. */
    TEXT,
    /** The one JSON value it is; the step fails where it is not. */
    JSON,
    /** A list of its lines, without line ends; a last empty one does not count. */
    LINES
  }

  /** Standard output. */
  record Stdout(As as) implements ShellOutput {}

  /**
   * A file of the workspace, read when the script has ended well; the step fails where there is
   * none.
   *
   * @param path relative, without {@code ..}
   */
  record File(String path, As as) implements ShellOutput {}

  /** JSON null. Standard output is only a log. */
  record None() implements ShellOutput {}

  /** Of a step that says nothing. */
  ShellOutput DEFAULT = new Stdout(As.TEXT);

  /** Bytes a step's output may have before it is JSON. */
  int MAX_BYTES = 8 * 1024 * 1024;
}
