/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.fuzz;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.agent.claude.ClaudeTranscript;
import dev.baton.agent.loop.session.LoopSessionFile;
import dev.baton.agent.loop.session.SessionFileException;
import dev.baton.agent.loop.session.SessionRow;
import dev.baton.agent.loop.session.SessionSnapshot;
import dev.baton.agent.loop.tool.ToolArguments;
import dev.baton.agent.loop.tool.ToolFailureException;
import dev.baton.protocol.conversation.ConversationDocument;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.log.LogRecord;
import dev.baton.protocol.log.LogRecordReader;
import dev.baton.protocol.manifest.Manifest;
import dev.baton.protocol.manifest.ManifestCodec;
import dev.baton.protocol.screen.SavedScreen;
import dev.baton.protocol.screen.SavedScreenCodec;
import dev.baton.store.objects.ManifestCompressor;
import java.io.ByteArrayInputStream;
import java.io.CharConversionException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

/** Logs, manifests, screens, conversations and sessions: what a checkpoint or a runner stores. */
final class StateFileFuzzer {
  private static final String SESSION = "01fuzz";

  private StateFileFuzzer() {}

  static void log(byte[] input) {
    LogRecordReader reader = new LogRecordReader(input, 0, input.length);
    try {
      int before = 0;
      for (LogRecord record = reader.next(); record != null; record = reader.next()) {
        FuzzAssert.require(reader.position() > before, "each record has bytes");
        before = reader.position();
      }
    } catch (IllegalArgumentException rejected) {
      return;
    }
    FuzzAssert.require(reader.position() <= input.length, "reads within the input");
  }

  /** The checksum is computed, so that what follows is reached. */
  static void manifest(byte[] input) {
    check(input);
    JsonNode tree;
    try {
      tree = Json.mapper().readTree(input);
    } catch (IOException notJson) {
      return;
    }
    if (tree instanceof ObjectNode root) {
      root.put("checksum", ManifestCodec.checksum(root));
      check(Json.bytes(root));
    }
  }

  private static void check(byte[] bytes) {
    Manifest manifest;
    try {
      manifest = ManifestCodec.read(bytes);
    } catch (IllegalArgumentException rejected) {
      return;
    }
    byte[] written = ManifestCodec.write(manifest);
    FuzzAssert.same(written, ManifestCodec.write(ManifestCodec.read(written)));
  }

  static void manifestObject(byte[] input) throws IOException {
    byte[] bytes;
    try {
      bytes = ManifestCompressor.read(new ByteArrayInputStream(input));
    } catch (IOException rejected) {
      return;
    }
    FuzzAssert.require(bytes.length <= ManifestCodec.LARGEST + 1, "bounded");
    byte[] object = ManifestCompressor.compress(bytes);
    FuzzAssert.same(bytes, ManifestCompressor.read(new ByteArrayInputStream(object)));
  }

  static void screen(byte[] input) {
    SavedScreen screen;
    try {
      screen = SavedScreenCodec.read(input);
    } catch (IllegalArgumentException rejected) {
      return;
    }
    byte[] written = SavedScreenCodec.write(screen);
    FuzzAssert.same(written, SavedScreenCodec.write(SavedScreenCodec.read(written)));
  }

  static void conversation(byte[] input) throws IOException {
    JsonNode document;
    try {
      document = Json.mapper().readTree(input);
    } catch (JsonProcessingException | CharConversionException notJson) {
      return;
    }
    Path home = ScratchFolder.empty("conversation");
    try {
      ConversationDocument.write(home, document);
    } catch (IllegalArgumentException rejected) {
      return;
    }
    JsonNode read = ConversationDocument.read(home).orElseThrow();
    FuzzAssert.same(document.path("messages"), read.path("messages"));
    Path again = ScratchFolder.empty("conversation-again");
    ConversationDocument.write(again, read);
    FuzzAssert.same(read, ConversationDocument.read(again).orElseThrow());
  }

  static void transcript(byte[] input) throws IOException {
    Path file = ScratchFolder.file("transcript.jsonl", input);
    String problem = ClaudeTranscript.problem(file);
    for (List<String> calls : List.of(List.<String>of(), List.of("toolu_1"))) {
      ClaudeTranscript.contains(file, file.resolveSibling("absent"), calls);
    }
    FuzzAssert.require(problem == null || !problem.isBlank(), "a problem has words");
  }

  /** Each line is also read as the row of a session, with its number and checksum. */
  static void loopSession(byte[] input) throws IOException {
    StringBuilder lines = new StringBuilder();
    int number = 0;
    for (String row : TextInput.text(input).split("\n")) {
      lines.append("{\"n\":%d,\"crc\":\"%s\",\"row\":%s}%n".formatted(++number, crc(row), row));
    }
    for (byte[] content :
        List.of(input, lines.toString().getBytes(java.nio.charset.StandardCharsets.UTF_8))) {
      try {
        List<SessionRow> rows =
            LoopSessionFile.read(ScratchFolder.file("session.jsonl", content), SESSION);
        for (SessionRow row : rows) {
          byte[] json = Json.mapper().writerFor(SessionRow.class).writeValueAsBytes(row);
          FuzzAssert.same(row, Json.mapper().readValue(json, SessionRow.class));
        }
      } catch (SessionFileException rejected) {
        // Names what is damaged.
      }
    }
    try {
      SessionSnapshot snapshot = SessionSnapshot.fromJson(TextInput.text(input));
      FuzzAssert.same(snapshot, SessionSnapshot.fromJson(snapshot.toJson()));
    } catch (SessionFileException rejected) {
      // Not a snapshot.
    }
  }

  private static String crc(String row) {
    CRC32C crc = new CRC32C();
    crc.update(row.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    return "%08x".formatted(crc.getValue());
  }

  static void toolArguments(byte[] input) {
    try {
      ToolArguments.parse(TextInput.text(input));
    } catch (ToolFailureException rejected) {
      // The model gets the reason.
    }
  }
}
