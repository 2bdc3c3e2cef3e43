/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** How a shell step's output is obtained. */
public sealed interface ShellOutput {
  /** How text is converted to JSON. */
  enum As {
    /** A string, without trailing line ends. */
    TEXT,
    /** A single JSON value; the step fails where the text is not valid JSON. */
    JSON,
    /** A list of the lines, without line ends; an empty last line does not count. */
    LINES
  }

  /** Standard output. */
  record Stdout(As as) implements ShellOutput {}

  /**
   * A file of the workspace, read after the script has succeeded; the step fails where it does not
   * exist.
   *
   * @param path relative, without {@code ..}
   */
  record File(String path, As as) implements ShellOutput {}

  /** JSON null. Standard output is only logged. */
  record None() implements ShellOutput {}

  /** The default. */
  ShellOutput DEFAULT = new Stdout(As.TEXT);

  /** Maximum bytes of a step's output before it is converted to JSON. */
  int MAX_BYTES = 8 * 1024 * 1024;
}
