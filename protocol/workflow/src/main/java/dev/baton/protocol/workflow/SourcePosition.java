/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.workflow;

/** A position in a definition's text, line and column from 1; {@link #NONE} without a text. */
record SourcePosition(int line, int column) {
  static final SourcePosition NONE = new SourcePosition(0, 0);
}
