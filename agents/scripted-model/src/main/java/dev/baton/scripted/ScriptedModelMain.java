/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.scripted;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Runs the endpoint as a program: {@code ScriptedModelMain SCRIPT.json [PORT]}. Prints its URL, and
 * ends when its standard input is closed.
 */
public final class ScriptedModelMain {
  private ScriptedModelMain() {}

  public static void main(String[] arguments) throws IOException {
    if (arguments.length < 1 || arguments.length > 2) {
      System.err.println("usage: ScriptedModelMain SCRIPT.json [PORT]");
      System.exit(64);
    }
    int port = arguments.length == 2 ? Integer.parseInt(arguments[1]) : 0;
    try (ScriptedModelServer server =
        ScriptedModelServer.start(ScriptFileParser.read(Path.of(arguments[0])), port)) {
      System.out.println(server.baseUrl());
      System.out.flush();
      while (System.in.read() >= 0) {
        // Only the end counts.
      }
    }
  }
}
