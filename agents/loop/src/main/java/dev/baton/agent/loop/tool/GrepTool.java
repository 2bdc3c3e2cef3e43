/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.tool;

import dev.baton.agent.process.OutputLineReader;
import dev.baton.protocol.json.TextShortener;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.model.chat.request.json.JsonObjectSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Searches lines in files of the workspace. */
final class GrepTool implements LoopTool {
  private static final int MAX_PATTERN = 1_000;
  private static final int MAX_LINE = 16_384;
  private static final int MAX_SHOWN = 300;

  private final WorkspaceFiles files;
  private final ToolLimits limits;

  GrepTool(WorkspaceFiles files, ToolLimits limits) {
    this.files = files;
    this.limits = limits;
  }

  @Override
  public ToolSpecification specification() {
    return ToolSpecification.builder()
        .name("grep")
        .description(
            "Searches the lines of files in the workspace with a regular expression of Java."
                + " Folders .git, binary files and files over %d bytes are not searched."
                    .formatted(limits.file()))
        .parameters(
            JsonObjectSchema.builder()
                .addStringProperty("pattern", "the regular expression")
                .addStringProperty("path", "file or folder, default the whole workspace")
                .addStringProperty("glob", "names of files, as *.java; default all")
                .addBooleanProperty("ignore_case", "whether case is ignored")
                .required("pattern")
                .build())
        .build();
  }

  @Override
  public boolean readOnly() {
    return true;
  }

  /** What was found so far. */
  private static final class Findings {
    final StringBuilder text = new StringBuilder();
    int matches;
    int skipped;
    @Nullable String stop;
  }

  @Override
  public ToolOutput run(ToolArguments arguments)
      throws ToolFailureException, IOException, InterruptedException {
    Pattern pattern = pattern(arguments);
    PathMatcher names = names(arguments.text("glob", "*", MAX_PATTERN));
    Path start = files.resolve(arguments.text("path", ".", Integer.MAX_VALUE));
    if (!Files.exists(start)) {
      throw new ToolFailureException("'%s' does not exist.".formatted(files.shown(start)));
    }
    long end = System.nanoTime() + limits.search().toNanos();
    Findings found = new Findings();
    try {
      search(start, names, pattern, end, found);
    } catch (SearchTimeoutException e) {
      found.stop = "the search was stopped after %d s".formatted(limits.search().toSeconds());
    } catch (StackOverflowError e) {
      throw new ToolFailureException(
          "The pattern needs too much memory; use one without repeated groups.");
    }
    StringBuilder text = found.text;
    if (found.matches == 0 && found.stop == null) {
      text.append("no match");
    }
    if (found.stop != null) {
      text.append("[… ").append(found.stop).append("; narrow pattern, path or glob …]\n");
    }
    if (found.skipped > 0) {
      text.append(
          "\n[skipped files: %d, binary, too large, or not readable]".formatted(found.skipped));
    }
    return ToolOutput.text(text.toString());
  }

  private static Pattern pattern(ToolArguments arguments) throws ToolFailureException {
    String text = arguments.text("pattern", MAX_PATTERN);
    if (text.isEmpty()) {
      throw new ToolFailureException("'pattern' is empty.");
    }
    try {
      return Pattern.compile(
          text,
          arguments.flag("ignore_case") ? Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE : 0);
    } catch (PatternSyntaxException e) {
      throw new ToolFailureException(
          "'pattern' is not a regular expression: %s at %d"
              .formatted(e.getDescription(), e.getIndex()));
    }
  }

  private static PathMatcher names(String glob) throws ToolFailureException {
    try {
      return FileSystems.getDefault().getPathMatcher("glob:" + glob);
    } catch (PatternSyntaxException e) {
      throw new ToolFailureException("'glob' is not a pattern: " + e.getDescription());
    }
  }

  /** In the order of names, so that the same files give the same result. */
  private void search(Path path, PathMatcher names, Pattern pattern, long end, Findings found)
      throws InterruptedException {
    if (found.stop != null) {
      return;
    }
    if (Thread.interrupted()) {
      throw new InterruptedException("stopped");
    }
    if (Files.isDirectory(path)) {
      for (Path entry : sorted(path, found)) {
        boolean skipped =
            Files.isSymbolicLink(entry) || entry.getFileName().toString().equals(".git");
        if (!skipped) {
          search(entry, names, pattern, end, found);
        }
      }
    } else if (Files.isRegularFile(path) && names.matches(path.getFileName())) {
      try {
        searchFile(path, pattern, end, found);
      } catch (IOException e) {
        found.skipped++;
      }
    }
  }

  private static List<Path> sorted(Path folder, Findings found) {
    List<Path> entries = new ArrayList<>();
    try (Stream<Path> all = Files.list(folder)) {
      all.sorted().forEach(entries::add);
    } catch (IOException | java.io.UncheckedIOException e) {
      found.skipped++;
    }
    return entries;
  }

  private void searchFile(Path file, Pattern pattern, long end, Findings found) throws IOException {
    if (Files.size(file) > limits.file()) {
      found.skipped++;
      return;
    }
    try (InputStream in = Files.newInputStream(file)) {
      OutputLineReader reader = new OutputLineReader(in, MAX_LINE);
      int number = 0;
      for (OutputLineReader.OutputLine line = reader.next(); line != null; line = reader.next()) {
        number++;
        if (line.text().indexOf('\0') >= 0) {
          found.skipped++;
          return;
        }
        if (!pattern.matcher(new BoundedText(line.text(), end)).find()) {
          continue;
        }
        String shown =
            "%s:%d: %s\n"
                .formatted(
                    files.shown(file), number, TextShortener.shorten(line.text(), MAX_SHOWN));
        if (found.matches == limits.matches()
            || found.text.length() + shown.length() > limits.output()) {
          found.stop = "there are more than %d matches".formatted(found.matches);
          return;
        }
        found.matches++;
        found.text.append(shown);
      }
    }
  }

  /** Ends a search whose time is over. */
  private static final class SearchTimeoutException extends RuntimeException {
    private static final long serialVersionUID = 1L;
  }

  /** A text whose matching ends in time: some patterns take exponential time. */
  private record BoundedText(CharSequence text, long end) implements CharSequence {
    @Override
    public int length() {
      return text.length();
    }

    @Override
    public char charAt(int index) {
      if (System.nanoTime() - end > 0) {
        throw new SearchTimeoutException();
      }
      return text.charAt(index);
    }

    @Override
    public CharSequence subSequence(int start, int stop) {
      return new BoundedText(text.subSequence(start, stop), end);
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}
