/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.acceptance.words;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Counts phrases that the project's texts avoid, in the comments and string literals of Java files
 * and in Markdown. {@code build/words/count} runs it as a single-file program.
 */
public final class OddPhraseCounter {
  private static final Set<String> SKIPPED = Set.of(".git", "target", "node_modules", "results");
  private static final Pattern JAVA_TEXT =
      Pattern.compile(
          "/\\*.*?\\*/|//[^\\n]*|\"\"\".*?\"\"\"|\"(?:[^\"\\\\\\n]|\\\\.)*\"|'(?:[^'\\\\]|\\\\.)*'",
          Pattern.DOTALL);
  private static final Pattern CODE =
      Pattern.compile(
          "\\{@(?:code|link|linkplain|value)[^}]*}|`[^`\\n]*`|```.*?```", Pattern.DOTALL);
  private static final Pattern LICENCE =
      Pattern.compile("^/\\*\\s*\\* Copyright.*?\\*/", Pattern.DOTALL);
  private static final Pattern WORD = Pattern.compile("[A-Za-z][A-Za-z'’-]*");

  /** A phrase that was found. */
  public record Finding(Path file, int line, String phrase, String instead) {}

  private final Path root;
  private final Map<Pattern, String> phrases =
      new TreeMap<>((a, b) -> a.pattern().compareTo(b.pattern()));
  private final List<Finding> findings = new ArrayList<>();
  private long words;

  private OddPhraseCounter(Path root) throws IOException {
    this.root = root;
    for (String line : Files.readAllLines(root.resolve("build/words/odd-phrases.txt"))) {
      if (!line.isBlank() && !line.startsWith("#")) {
        String[] parts = line.split("\t", 2);
        phrases.put(Pattern.compile(parts[0], Pattern.CASE_INSENSITIVE), parts[1]);
      }
    }
  }

  /**
   * Reads every Java and Markdown file below the root.
   *
   * @param paths what to read, relative to the root; all where empty
   */
  public static OddPhraseCounter read(Path root, List<String> paths) throws IOException {
    OddPhraseCounter counter = new OddPhraseCounter(root);
    for (String path : paths.isEmpty() ? List.of("") : paths) {
      Files.walkFileTree(
          root.resolve(path),
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
              return SKIPPED.contains(String.valueOf(folder.getFileName()))
                  ? FileVisitResult.SKIP_SUBTREE
                  : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              counter.add(file);
              return FileVisitResult.CONTINUE;
            }
          });
    }
    return counter;
  }

  public List<Finding> findings() {
    return List.copyOf(findings);
  }

  public long words() {
    return words;
  }

  /** Findings for each ten thousand words. */
  public double rate() {
    return words == 0 ? 0 : findings.size() * 10_000.0 / words;
  }

  private void add(Path file) {
    String name = file.getFileName().toString();
    try {
      if (name.endsWith(".java")) {
        String source = Files.readString(file);
        Matcher licence = LICENCE.matcher(source);
        Matcher text = JAVA_TEXT.matcher(source);
        int from = licence.find() ? licence.end() : 0;
        while (text.find(from)) {
          from = text.end();
          if (!text.group().startsWith("'")) {
            count(file, source, text.start(), text.group());
          }
        }
      } else if (name.endsWith(".md")) {
        String source = Files.readString(file);
        count(file, source, 0, source);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(file + " cannot be read", e);
    }
  }

  private void count(Path file, String source, int offset, String raw) {
    String text =
        CODE.matcher(raw)
            .replaceAll(code -> Matcher.quoteReplacement(" ".repeat(code.group().length())));
    words += WORD.matcher(text).results().count();
    phrases.forEach(
        (phrase, instead) ->
            phrase
                .matcher(text.replace('\n', ' '))
                .results()
                .forEach(
                    found ->
                        findings.add(
                            new Finding(
                                root.relativize(file),
                                line(source, offset + found.start()),
                                found.group(),
                                instead))));
  }

  private static int line(String source, int offset) {
    return 1 + (int) source.substring(0, offset).chars().filter(c -> c == '\n').count();
  }

  /** Prints each finding, then the rate. Arguments: the root, then what to read below it. */
  public static void main(String[] arguments) throws IOException {
    OddPhraseCounter counter =
        read(Path.of(arguments[0]), List.of(arguments).subList(1, arguments.length));
    for (Finding finding : counter.findings) {
      System.out.printf(
          "%s:%d: '%s': write %s%n",
          finding.file(), finding.line(), finding.phrase(), finding.instead());
    }
    System.out.printf(
        "%d odd phrases in %d words: %.1f in 10,000%n",
        counter.findings.size(), counter.words, counter.rate());
  }
}
