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

/**
 * Matches paths against one file in gitignore syntax. Loaded only if such a file exists.
 * Thread-safe.
 */
final class IgnorePatternMatcher {
  private final IgnoreNode node;

  IgnorePatternMatcher(byte[] file) {
    List<FastIgnoreRule> rules = new ArrayList<>();
    // Names and patterns are bytes, as in git.
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

  /**
   * Returns null if no pattern matches. The caller has checked that no parent directory is ignored.
   */
  @Nullable Boolean ignores(String path, boolean isDirectory) {
    return node.checkIgnored(path, isDirectory);
  }
}
