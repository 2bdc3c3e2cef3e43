/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.standalone.jvm;

import java.nio.file.Path;
import java.util.List;

/**
 * A Java program: its name, its jars and its entry point.
 *
 * @param name for messages, logs and cache files
 * @param jars its complete class path; in class path order when started by main class
 * @param start the entry point
 */
public record JvmProgram(String name, List<Path> jars, Start start) {

  public JvmProgram {
    jars = List.copyOf(jars);
  }

  /** The entry point of a program. */
  public sealed interface Start {
    /** The main class, searched in all jars. */
    record MainClass(String name) implements Start {}

    /** A jar whose manifest names the main class and the other jars. */
    record Jar(Path path) implements Start {}
  }
}
