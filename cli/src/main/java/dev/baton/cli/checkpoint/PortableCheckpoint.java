/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.cli.command.CliException;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.screen.SavedScreen;
import dev.baton.protocol.screen.SavedScreenCodec;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;

/**
 * An imported portable checkpoint, as a folder.
 *
 * @param checked whether it had checksums, which then matched
 */
record PortableCheckpoint(Path folder, ObjectNode manifest, boolean checked) {
  private static final Pattern NAME =
      Pattern.compile(
          "(\\./)?([a-z_]+\\.(json|txt)|workspace\\.tar\\.zst|mcp_state/(?!\\.{1,2}$)[\\w.-]+)");

  /** Members of the manifest that an import replaces, or changes. */
  private static final List<String> PARTS = List.of("workspace", "contributors", "conversation");

  private static final long MAX_HEADER = 1 << 16;
  private static final long MAX_STATE = 256L << 20;
  private static final long MAX_WORKSPACE = 64L << 30;
  private static final int MAX_FILES = 10_000;

  /**
   * @param source a folder, or one tar of it
   * @param into an empty folder for the content of a tar
   * @throws CliException when it is not a portable checkpoint, or does not match its manifest
   */
  static PortableCheckpoint open(Path source, Path into) throws IOException {
    if (!Files.exists(source)) {
      throw CliException.usage("no such file or directory: '" + source + "'");
    }
    Path folder = Files.isDirectory(source) ? source : unpack(source, into);
    for (String name : PortableCheckpointFormat.REQUIRED) {
      if (!Files.isRegularFile(folder.resolve(name), LinkOption.NOFOLLOW_LINKS)) {
        throw CliException.usage(
            "'%s' is not an exported checkpoint: it has no file %s".formatted(source, name));
      }
    }
    if (Files.size(folder.resolve(PortableCheckpointFormat.MANIFEST)) > ManifestCodec.LARGEST) {
      throw CliException.usage(
          "the manifest is larger than the limit of " + ManifestCodec.LARGEST + " bytes");
    }
    JsonNode document = json(folder.resolve(PortableCheckpointFormat.MANIFEST));
    if (!(document instanceof ObjectNode manifest)) {
      throw CliException.usage("the manifest is not a JSON object");
    }
    for (String part : PARTS) {
      if (!manifest.path(part).isObject() && manifest.hasNonNull(part)) {
        throw CliException.usage("the manifest's " + part + " is not a JSON object");
      }
    }
    return new PortableCheckpoint(folder, manifest, check(folder, manifest));
  }

  /** Reads a file of the folder as JSON; returns an empty object when the file does not exist. */
  JsonNode state(String name) throws IOException {
    Path file = folder.resolve(name);
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
      return Json.mapper().createObjectNode();
    }
    long most =
        name.equals(PortableCheckpointFormat.CONVERSATION) ? MAX_STATE : ManifestCodec.LARGEST;
    if (Files.size(file) > most) {
      throw CliException.usage("%s is larger than the limit of %d bytes".formatted(name, most));
    }
    return json(file);
  }

  /**
   * Reads the screen; empty where it has none.
   *
   * @throws CliException when it is not in the notation of {@link SavedScreenCodec}
   */
  Optional<SavedScreen> screen() throws IOException {
    Path file = folder.resolve(PortableCheckpointFormat.TMUX);
    // Earlier exports of checkpoints without a screen have an empty file.
    if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) || Files.size(file) == 0) {
      return Optional.empty();
    }
    if (Files.size(file) > SavedScreenCodec.MAX_TEXT) {
      throw CliException.usage(
          "%s is larger than the limit of %d bytes"
              .formatted(PortableCheckpointFormat.TMUX, SavedScreenCodec.MAX_TEXT));
    }
    try {
      return Optional.of(SavedScreenCodec.read(Files.readAllBytes(file)));
    } catch (IllegalArgumentException e) {
      throw CliException.usage(
          "%s cannot be read: %s; remove it, with its checksum, to import the checkpoint without"
                  .formatted(PortableCheckpointFormat.TMUX, e.getMessage())
              + " its screen");
    }
  }

  private static JsonNode json(Path file) throws IOException {
    try {
      return Json.parsedTree(Files.readAllBytes(file));
    } catch (com.fasterxml.jackson.core.JacksonException e) {
      throw CliException.usage(
          "%s is not JSON: %s".formatted(file.getFileName(), e.getOriginalMessage()));
    }
  }

  private static boolean check(Path folder, ObjectNode manifest) throws IOException {
    JsonNode checksums = manifest.path(PortableCheckpointFormat.CHECKSUMS);
    if (!checksums.isObject()) {
      return false;
    }
    if (!ManifestCodec.checksum(manifest).equals(manifest.path("checksum").asText())) {
      throw CliException.usage("the manifest does not match its checksum: it was modified");
    }
    Map<String, String> wanted = new HashMap<>();
    checksums.properties().forEach(each -> wanted.put(each.getKey(), each.getValue().asText()));
    for (String name : PortableCheckpointFormat.files(folder)) {
      String expected = wanted.remove(name);
      if (expected != null && !expected.equals(FileDigester.of(folder.resolve(name)))) {
        throw CliException.usage(
            "%s does not match its checksum in the manifest: it was modified".formatted(name));
      }
    }
    if (!wanted.isEmpty()) {
      throw CliException.usage("missing: " + String.join(", ", wanted.keySet()));
    }
    return true;
  }

  private static Path unpack(Path source, Path into) throws IOException {
    try (InputStream file = Files.newInputStream(source);
        BoundedInputStream in =
            new BoundedInputStream(new java.io.BufferedInputStream(file, 1 << 16));
        TarArchiveInputStream tar = new TarArchiveInputStream(in, "UTF-8")) {
      in.allow(MAX_HEADER);
      int files = 0;
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        if (++files > MAX_FILES) {
          throw CliException.usage(source + " has more than " + MAX_FILES + " entries");
        }
        in.allow(Math.max(0, entry.getSize()) + MAX_HEADER);
        copy(entry, tar, into);
        in.allow(MAX_HEADER);
      }
    } catch (IllegalArgumentException | IOException e) {
      throw CliException.usage(
          "'%s' is neither a folder nor a tar of one: %s".formatted(source, e.getMessage()));
    }
    return into;
  }

  private static void copy(TarArchiveEntry entry, TarArchiveInputStream tar, Path into)
      throws IOException {
    String name = entry.getName();
    if (entry.isDirectory()) {
      return;
    }
    boolean workspace = name.endsWith(PortableCheckpointFormat.WORKSPACE);
    if (!entry.isFile()
        || !NAME.matcher(name).matches()
        || entry.getSize() > (workspace ? MAX_WORKSPACE : MAX_STATE)) {
      throw new IOException(
          "it has '" + name + "', which is not allowed in an exported checkpoint");
    }
    Path file = into.resolve(name).normalize();
    Files.createDirectories(file.getParent());
    Files.copy(tar, file);
  }
}
