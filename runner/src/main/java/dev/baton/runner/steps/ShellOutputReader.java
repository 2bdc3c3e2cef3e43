/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.runner.steps;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.workflow.ShellOutput;
import dev.baton.runner.process.StepProcessResult;
import dev.baton.runner.secrets.SecretMasker;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** Reads a shell step's result as JSON. */
final class ShellOutputReader {
  private static final int MAX_LINKS = 40;

  /** Logged for a step whose output is not all of its standard output. */
  static final String CUT =
      "standard output has more than %d bytes: the step's output is truncated; no expression reads it"
          .formatted(ShellOutput.MAX_BYTES);

  private ShellOutputReader() {}

  /**
   * Whether the output is truncated to the beginning of standard output: standard output is too
   * large, only its text is requested, and no expression of the workflow reads it.
   */
  static boolean isCut(ShellOutput output, StepProcessResult.Exited exited, boolean outputIsRead) {
    return exited.stdoutOver()
        && output instanceof ShellOutput.Stdout(ShellOutput.As as)
        && as == ShellOutput.As.TEXT
        && !outputIsRead;
  }

  /**
   * Reads a step's output from its standard output or from a file in its directory.
   *
   * @param directory where the step's files are
   * @param seen the path under which the step saw it
   * @param outputIsRead whether an expression of the workflow may read it
   * @param masker masks secrets in text, also across its lines
   * @throws IOException if the output cannot be read; its message contains the reason
   */
  static JsonNode read(
      ShellOutput output,
      StepProcessResult.Exited exited,
      Path directory,
      Path seen,
      boolean outputIsRead,
      SecretMasker masker)
      throws IOException {
    if (isCut(output, exited, outputIsRead)) {
      return TextNode.valueOf(beginning(masker.mask(exited.stdout(), true)));
    }
    return switch (output) {
      case ShellOutput.None none -> NullNode.getInstance();
      case ShellOutput.Stdout(ShellOutput.As as) -> {
        if (exited.stdoutOver()) {
          throw tooLarge("standard output");
        }
        yield parse(exited.stdout(), as, "standard output", masker);
      }
      case ShellOutput.File(String path, ShellOutput.As as) ->
          parse(file(directory, seen, path), as, path, masker);
    };
  }

  /** Drops an incomplete character at the end of the truncated bytes. */
  private static String beginning(byte[] bytes) {
    int end = bytes.length;
    while (end > 0 && bytes.length - end < 3 && (bytes[end - 1] & 0xc0) == 0x80) {
      end--;
    }
    boolean whole = end > 0 && (bytes[end - 1] & 0xc0) != 0xc0;
    return new String(bytes, 0, whole ? bytes.length : end - 1, StandardCharsets.UTF_8);
  }

  private static byte[] file(Path directory, Path seen, String name) throws IOException {
    Path file;
    try {
      file = onHost(directory, seen, name).toRealPath();
    } catch (InvalidPathException e) {
      throw new IOException("'" + name + "' is not a valid path: " + e.getReason(), e);
    } catch (NoSuchFileException e) {
      throw new IOException("the step created no file '" + name + "'", e);
    }
    if (!file.startsWith(directory.toRealPath())) {
      throw new IOException("'" + name + "' is not in the workspace");
    }
    if (!Files.isRegularFile(file)) {
      // Opening a pipe would wait for a writer without limit.
      throw new IOException("'" + name + "' is not a regular file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(ShellOutput.MAX_BYTES + 1);
      if (bytes.length > ShellOutput.MAX_BYTES) {
        throw tooLarge(name);
      }
      return bytes;
    }
  }

  /**
   * Resolves links that lead to where only the step saw the directory.
   *
   * @throws IOException after 40 links, like a system call
   */
  private static Path onHost(Path directory, Path seen, String name) throws IOException {
    Path path = inDirectory(directory, seen, directory.resolve(name));
    for (int links = 0; links <= MAX_LINKS; links++) {
      Path next = withoutFirstLink(directory, seen, path);
      if (next.equals(path)) {
        return path;
      }
      path = next;
    }
    throw new IOException("'" + name + "' is behind more than " + MAX_LINKS + " links");
  }

  private static Path withoutFirstLink(Path directory, Path seen, Path path) throws IOException {
    if (!path.startsWith(directory)) {
      return path;
    }
    Path at = directory;
    Path rest = directory.relativize(path);
    for (int i = 0; i < rest.getNameCount(); i++) {
      at = at.resolve(rest.getName(i));
      if (Files.isSymbolicLink(at)) {
        Path target = Files.readSymbolicLink(at);
        if (target.startsWith(seen)) {
          Path there = inDirectory(directory, seen, target);
          return i + 1 == rest.getNameCount()
              ? there
              : there.resolve(rest.subpath(i + 1, rest.getNameCount()));
        }
      }
    }
    return path;
  }

  private static Path inDirectory(Path directory, Path seen, Path path) {
    return path.startsWith(seen) ? directory.resolve(seen.relativize(path)) : path;
  }

  /** Not a regular expression, which would scan line ends in the middle of the text repeatedly. */
  private static String withoutLineEnds(String text) {
    int end = text.length();
    while (end > 0 && (text.charAt(end - 1) == '\n' || text.charAt(end - 1) == '\r')) {
      end--;
    }
    return text.substring(0, end);
  }

  private static IOException tooLarge(String what) {
    return new IOException(what + " has more than " + ShellOutput.MAX_BYTES + " bytes");
  }

  private static JsonNode parse(byte[] bytes, ShellOutput.As as, String what, SecretMasker masker)
      throws IOException {
    // The values of JSON are masked after it is parsed: a mask could make it invalid.
    byte[] shown = as == ShellOutput.As.JSON ? bytes : masker.mask(bytes);
    String text = new String(shown, StandardCharsets.UTF_8);
    return switch (as) {
      case TEXT -> TextNode.valueOf(withoutLineEnds(text));
      case LINES -> {
        ArrayNode lines = JsonNodeFactory.instance.arrayNode();
        text.lines().forEach(lines::add);
        yield lines;
      }
      case JSON -> {
        try {
          if (text.isBlank()) {
            throw new IOException(what + " is empty, not JSON");
          }
          yield Json.checkedTree(bytes);
        } catch (JacksonException e) {
          throw new IOException(
              what + " is not JSON that can be kept: " + e.getOriginalMessage(), e);
        }
      }
    };
  }
}
