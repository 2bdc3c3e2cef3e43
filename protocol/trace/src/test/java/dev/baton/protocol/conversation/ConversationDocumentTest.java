/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.protocol.conversation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.baton.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ConversationDocumentTest {
  private static final String MESSAGES = "anthropic-messages";

  @TempDir private Path home;
  @TempDir private Path other;

  private static ObjectNode body(String json) {
    return (ObjectNode) Json.tree(json.getBytes(StandardCharsets.UTF_8));
  }

  private ObjectNode read() throws IOException {
    return ConversationDocument.read(home).orElseThrow();
  }

  private static Map<String, FileTime> files(Path root) throws IOException {
    Map<String, FileTime> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        files.put(root.relativize(file).toString(), Files.getLastModifiedTime(file));
      }
    }
    return files;
  }

  @Test
  void shouldDescribeAConversationOfTheMessagesForm() throws Exception {
    new ConversationWriter(home)
        .write(
            "main",
            MESSAGES,
            body(
                """
                {"model": "claude", "system": [{"type": "text", "text": "Be brief.", "cache_control": {"type": "ephemeral"}}],
                 "tools": [{"name": "Read"}, {"name": "TodoWrite"}],
                 "messages": [
                   {"role": "user", "content": [{"type": "text", "text": "Go."},
                     {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aGVsbG8="}}]},
                   {"role": "assistant", "content": [
                     {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "a.txt"}},
                     {"type": "tool_use", "id": "t2", "name": "TodoWrite", "input": {"todos": [{"content": "fix"}]}}]},
                   {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "text of a"}]}]}
                """));

    ObjectNode document = read();

    assertThat(document.path("form").asText()).isEqualTo(MESSAGES);
    assertThat(document.path("model").asText()).isEqualTo("claude");
    assertThat(document.path("system_prompt").toString())
        .isEqualTo("[{\"type\":\"text\",\"text\":\"Be brief.\"}]");
    assertThat(document.path("messages")).hasSize(3);
    assertThat(document.path("pending_tool_calls").findValuesAsText("id")).containsExactly("t2");
    assertThat(document.path("tool_results").path("t1").asText()).isEqualTo("text of a");
    assertThat(document.path("loaded_files").get(0).asText()).isEqualTo("a.txt");
    assertThat(document.path("todos").findValuesAsText("content")).containsExactly("fix");
    assertThat(document.path("images").findValuesAsText("data")).containsExactly("aGVsbG8=");
    assertThat(document.path("messages").toString())
        .doesNotContain("aGVsbG8=")
        .contains(document.at("/images/0/digest").asText());
  }

  @Test
  void shouldDescribeConversationsOfTheOtherForms() throws Exception {
    ConversationWriter writer = new ConversationWriter(home);
    List<String> tools =
        writer.write(
            "chat",
            "openai-chat",
            body(
                """
                {"model": "gpt", "tools": [{"type": "function", "function": {"name": "read_file"}}],
                 "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Go."},
                   {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function",
                     "function": {"name": "read_file", "arguments": "{\\"path\\": \\"b.txt\\"}"}}]},
                   {"role": "tool", "tool_call_id": "c1", "content": "text of b"}]}
                """));

    assertThat(tools).containsExactly("read_file");
    assertThat(read().path("system_prompt").asText()).isEqualTo("Be brief.");
    assertThat(read().path("messages")).hasSize(3);
    assertThat(read().path("loaded_files").get(0).asText()).isEqualTo("b.txt");
    assertThat(read().path("tool_results").path("c1").asText()).isEqualTo("text of b");

    writer.write(
        "responses",
        "openai-responses",
        body(
            """
            {"model": "gpt", "instructions": "Be exact.", "tools": [{"type": "function", "name": "exec_command"}],
             "input": [{"type": "message", "role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,aGk="}]},
               {"type": "function_call", "call_id": "f1", "name": "exec_command", "arguments": "{}"},
               {"type": "function_call_output", "call_id": "f1", "output": "done"},
               {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "ok"}]}]}
            """));

    ObjectNode longest = read();
    assertThat(longest.path("conversation").asText()).isEqualTo("responses");
    assertThat(longest.path("system_prompt").asText()).isEqualTo("Be exact.");
    assertThat(longest.path("tool_results").path("f1").asText()).isEqualTo("done");
    assertThat(longest.path("images").findValuesAsText("media_type")).containsExactly("image/png");
  }

  private static ObjectNode talk(String... texts) {
    ObjectNode body = Json.mapper().createObjectNode().put("model", "m");
    body.putArray("tools").addObject().put("name", "shell");
    for (String text : texts) {
      body.withArray("messages").addObject().put("role", "user").put("content", text);
    }
    return body;
  }

  @Test
  void shouldWriteOnlyWhatIsNewAlsoAfterARestart() throws Exception {
    ConversationWriter writer = new ConversationWriter(home);
    writer.write("main", MESSAGES, talk("a"));
    writer.write("main", MESSAGES, talk("a", "b"));
    Map<String, FileTime> before = files(home);
    writer.write("main", MESSAGES, talk("a", "b"));
    assertThat(files(home)).isEqualTo(before);

    ConversationWriter restarted = new ConversationWriter(home);
    restarted.write("main", MESSAGES, talk("a", "b", "c"));

    assertThat(files(home)).hasSize(before.size() + 1);
    assertThat(read().path("messages").findValuesAsText("content")).containsExactly("a", "b", "c");
    assertThat(read().path("replaced")).isEmpty();
  }

  @Test
  void shouldKeepWhatASummaryReplaces() throws Exception {
    ConversationWriter writer = new ConversationWriter(home);
    writer.write("main", MESSAGES, talk("a", "b", "c"));
    writer.write("main", MESSAGES, talk("a", "summary", "d"));
    writer.write("main", MESSAGES, talk("a", "summary", "d", "e"));
    writer.write("main", MESSAGES, talk("a", "summary", "summary 2"));

    ObjectNode document = read();

    assertThat(document.path("messages").findValuesAsText("content"))
        .containsExactly("a", "summary", "summary 2");
    assertThat(document.path("replaced").findValuesAsText("from")).containsExactly("1", "2");
    assertThat(document.at("/replaced/0/messages").findValuesAsText("content"))
        .containsExactly("b", "c");
    assertThat(document.at("/replaced/1/messages").findValuesAsText("content"))
        .containsExactly("d", "e");
  }

  @Test
  void shouldReadAgainWhatItHasWritten() throws Exception {
    ConversationWriter writer = new ConversationWriter(home);
    writer.write("main", MESSAGES, talk("a", "b", "c"));
    writer.write("main", MESSAGES, talk("a", "summary", "d", "e"));
    writer.write("main", MESSAGES, talk("other", "f"));

    ConversationDocument.write(other, read());

    assertThat(ConversationDocument.read(other)).contains(read());
  }

  @Test
  void shouldNameWhatIsWrongWithADocument() {
    assertThatThrownBy(() -> ConversationDocument.write(other, body("{}")))
        .hasMessageContaining("no list 'messages'");
    assertThatThrownBy(
            () ->
                ConversationDocument.write(
                    other,
                    body("{\"messages\": [], \"replaced\": [{\"from\": 3, \"messages\": []}]}")))
        .hasMessageContaining("replaced[0].from")
        .hasMessageContaining("0 to 0");
  }

  @Test
  void shouldNameADamagedFile() throws Exception {
    new ConversationWriter(home).write("main", MESSAGES, talk("a"));
    String segment =
        files(home).keySet().stream().filter(f -> f.contains("000/")).findFirst().orElseThrow();
    Files.writeString(home.resolve(segment), "{");

    assertThatThrownBy(this::read)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("00000.json");
  }
}
