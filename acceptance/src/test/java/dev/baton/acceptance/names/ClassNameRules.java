/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.names;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rules for the names of the product's top-level types. Generated code does not count. */
final class ClassNameRules {
  private static final Pattern ONE_WORD = Pattern.compile("[A-Z][a-z0-9]*");

  /** Gerunds and participles that are used as nouns, or whose ending is part of a noun. */
  private static final List<String> NOUNS = List.of("String", "Thing", "Ring", "Seed", "Feed");

  private static final Pattern VERB_FORM = Pattern.compile("[A-Z][a-z0-9]*(?:ing|ed)");

  /** The largest share of one-word names, in percent. */
  static final int MAX_ONE_WORD_PERCENT = 15;

  private ClassNameRules() {}

  /** Reads the fully qualified names of all top-level types below every {@code src/main/java}. */
  static List<String> read(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      return files
          .map(file -> root.relativize(file).toString().replace('\\', '/'))
          .filter(path -> path.contains("src/main/java/") && path.endsWith(".java"))
          .filter(path -> !path.startsWith("target/") && !path.contains("/target/"))
          .filter(path -> !path.endsWith("package-info.java"))
          .map(path -> path.substring(path.indexOf("src/main/java/") + "src/main/java/".length()))
          .map(path -> path.substring(0, path.length() - ".java".length()).replace('/', '.'))
          .sorted()
          .toList();
    }
  }

  static String simpleName(String name) {
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** The share of one-word names, in percent. */
  static double oneWordPercent(List<String> names) {
    long oneWord =
        names.stream().filter(name -> ONE_WORD.matcher(simpleName(name)).matches()).count();
    return names.isEmpty() ? 0 : 100.0 * oneWord / names.size();
  }

  /** Names that are a gerund or a participle and no more. */
  static List<String> verbForms(List<String> names) {
    return names.stream()
        .filter(name -> VERB_FORM.matcher(simpleName(name)).matches())
        .filter(name -> !NOUNS.contains(simpleName(name)))
        .toList();
  }

  /** Simple names that several types have, each with these types. */
  static Map<String, List<String>> duplicates(List<String> names) {
    Map<String, List<String>> bySimpleName =
        names.stream()
            .collect(
                Collectors.groupingBy(
                    ClassNameRules::simpleName, TreeMap::new, Collectors.toList()));
    bySimpleName.values().removeIf(types -> types.size() == 1);
    return bySimpleName;
  }
}
