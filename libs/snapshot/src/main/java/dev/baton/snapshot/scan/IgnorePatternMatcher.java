/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.snapshot.scan;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.eclipse.jgit.ignore.FastIgnoreRule;
import org.eclipse.jgit.ignore.IgnoreNode;
import org.jspecify.annotations.Nullable;

/** One file in gitignore syntax. Loaded only where there is one. Thread-safe. */
final class IgnorePatternMatcher {
  private final IgnoreNode node;

  IgnorePatternMatcher(byte[] file) {
    List<FastIgnoreRule> rules = new ArrayList<>();
    // Names and patterns are both bytes, as they are for git.
    for (String line : new String(file, StandardCharsets.ISO_8859_1).split("\n", -1)) {
      String text = line.endsWith("\r") ? line.substring(0, line.length() - 1) : line;
      if (!text.isEmpty() && !text.startsWith("#")) {
        FastIgnoreRule rule = new FastIgnoreRule(text);
        if (!rule.isEmpty()) {
          rules.add(rule);
        }
      }
    }
    node = new IgnoreNode(rules);
  }

  /** Null if no pattern is about it. The directories above it are known not to be ignored. */
  @Nullable Boolean ignores(String path, boolean isDirectory) {
    return node.checkIgnored(path, isDirectory);
  }
}
