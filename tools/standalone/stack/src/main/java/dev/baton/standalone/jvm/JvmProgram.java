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
 * A Java program: what it is called, which jars it is made of, where it begins.
 *
 * @param name for people, for logs and cache files
 * @param jars everything on its class path; in the order of the class path when started by main
 *     class
 * @param start where it begins
 */
public record JvmProgram(String name, List<Path> jars, Start start) {

  public JvmProgram {
    jars = List.copyOf(jars);
  }

  /** Where a program begins. */
  public sealed interface Start {
    /** The main class, looked for in all jars. */
    record MainClass(String name) implements Start {}

    /** A jar whose manifest names the main class and the other jars. */
    record Jar(Path path) implements Start {}
  }
}
