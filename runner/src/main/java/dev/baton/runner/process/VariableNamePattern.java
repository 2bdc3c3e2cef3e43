/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.process;

import java.util.regex.Pattern;

/** Compiles names of environment variables in which {@code *} matches any characters. */
public final class VariableNamePattern {
  private VariableNamePattern() {}

  public static Pattern of(String name) {
    return Pattern.compile(Pattern.quote(name).replace("*", "\\E.*\\Q"));
  }
}
