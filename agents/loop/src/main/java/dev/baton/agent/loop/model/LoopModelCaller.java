/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.agent.loop.model;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.baton.agent.loop.session.SessionRow;
import dev.baton.agent.loop.session.SessionRow.ToolCall;
import dev.baton.protocol.json.Json;
import dev.baton.protocol.json.TextShortener;
import dev.baton.protocol.retry.Backoff;
import dev.langchain4j.agent.tool.ToolExecutionRequest;
import dev.langchain4j.agent.tool.ToolSpecification;
import dev.langchain4j.data.message.AiMessage;
import dev.langchain4j.data.message.ChatMessage;
import dev.langchain4j.data.message.Content;
import dev.langchain4j.data.message.ImageContent;
import dev.langchain4j.data.message.SystemMessage;
import dev.langchain4j.data.message.TextContent;
import dev.langchain4j.data.message.ToolExecutionResultMessage;
import dev.langchain4j.data.message.UserMessage;
import dev.langchain4j.exception.HttpException;
import dev.langchain4j.exception.LangChain4jException;
import dev.langchain4j.model.anthropic.AnthropicTokenUsage;
import dev.langchain4j.model.chat.ChatModel;
import dev.langchain4j.model.chat.request.ChatRequest;
import dev.langchain4j.model.chat.request.ToolChoice;
import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.output.FinishReason;
import dev.langchain4j.model.output.TokenUsage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls a model with the rows of a session. Equal rows give equal requests. Repeats what the
 * gateway could not answer; the gateway answers a repeated request once.
 */
public final class LoopModelCaller {
  private static final int MAX_ATTEMPTS = 8;
  private static final Duration FIRST_DELAY = Duration.ofMillis(500);
  private static final Duration MAX_DELAY = Duration.ofSeconds(10);
  private static final int PAYMENT_REQUIRED = 402;
  private static final Set<Integer> REPEATED = Set.of(408, 429, 500, 502, 503, 504, 529);
  private static final int MAX_MESSAGE = 2_000;

  /** Begins the message that takes the place of older ones. */
  private static final String SUMMARY =
      "The conversation up to here was too long. You have replaced it by this summary:\n\n";

  private final ChatModel model;
  private final List<ToolSpecification> tools;
  private final Consumer<String> notices;

  /**
   * @param notices receives a text for each repetition
   */
  public LoopModelCaller(ChatModel model, List<ToolSpecification> tools, Consumer<String> notices) {
    this.model = model;
    this.tools = List.copyOf(tools);
    this.notices = notices;
  }

  /**
   * Requests the answer to a conversation.
   *
   * @throws LoopModelException when there is none after all attempts, or a repetition cannot help
   */
  public SessionRow.Answer call(String system, List<SessionRow> rows)
      throws LoopModelException, InterruptedException {
    return call(request(system, rows).build());
  }

  /**
   * Requests an answer that calls no tool. The tools are part of the request all the same:
   * endpoints refuse conversations with calls of tools that are not there.
   *
   * @throws LoopModelException as {@link #call(String, List)}
   */
  public SessionRow.Answer summarize(String system, List<SessionRow> rows)
      throws LoopModelException, InterruptedException {
    return call(request(system, rows).toolChoice(ToolChoice.NONE).build());
  }

  /** The characters of the tools in a request, about. */
  public int toolsLength() {
    return tools.stream().mapToInt(tool -> tool.toString().length()).sum();
  }

  private ChatRequest.Builder request(String system, List<SessionRow> rows) {
    return ChatRequest.builder().messages(messages(system, rows)).toolSpecifications(tools);
  }

  private SessionRow.Answer call(ChatRequest request)
      throws LoopModelException, InterruptedException {
    for (int attempt = 1; ; attempt++) {
      try {
        return answer(model.chat(request));
      } catch (LangChain4jException e) {
        retry(attempt, e);
      } catch (RuntimeException e) {
        if (cause(e, IOException.class) == null) {
          throw new LoopModelException("the answer of the model cannot be read: " + e, false, e);
        }
        retry(attempt, e);
      }
    }
  }

  private void retry(int attempt, RuntimeException problem)
      throws LoopModelException, InterruptedException {
    HttpException http = cause(problem, HttpException.class);
    String reason =
        http == null
            ? "no answer: " + problem.getMessage()
            : "status %d: %s".formatted(http.statusCode(), message(http));
    if (http != null && http.statusCode() == PAYMENT_REQUIRED) {
      throw new LoopModelException(message(http), true, problem);
    }
    if ((http != null && !REPEATED.contains(http.statusCode())) || attempt == MAX_ATTEMPTS) {
      throw new LoopModelException("the model gives no answer: " + reason, false, problem);
    }
    Duration delay = Backoff.delay(FIRST_DELAY, MAX_DELAY, attempt);
    notices.accept(
        "model: attempt %d failed, retrying in %d ms: %s"
            .formatted(attempt, delay.toMillis(), reason));
    TimeUnit.NANOSECONDS.sleep(delay.toNanos());
  }

  private static <T extends Throwable> @Nullable T cause(Throwable problem, Class<T> type) {
    Throwable at = problem;
    for (int depth = 0; at != null && depth < 20; depth++) {
      if (type.isInstance(at)) {
        return type.cast(at);
      }
      at = at.getCause();
    }
    return null;
  }

  /** The message in an error's body; both forms have it at the same place. */
  private static String message(HttpException problem) {
    String body = String.valueOf(problem.getMessage());
    String found;
    try {
      found = Json.mapper().readTree(body).path("error").path("message").asText("");
    } catch (JsonProcessingException e) {
      found = "";
    }
    return TextShortener.shorten(found.isEmpty() ? body : found, MAX_MESSAGE);
  }

  private static SessionRow.Answer answer(ChatResponse response) {
    AiMessage message = response.aiMessage();
    List<ToolCall> calls = new ArrayList<>();
    for (ToolExecutionRequest call : message.toolExecutionRequests()) {
      calls.add(
          new ToolCall(
              call.id() == null ? "" : call.id(),
              call.name(),
              call.arguments() == null ? "" : call.arguments()));
    }
    return new SessionRow.Answer(
        message.text() == null ? "" : message.text(),
        calls,
        response.finishReason() == FinishReason.LENGTH,
        tokens(response.tokenUsage()));
  }

  /** Anthropic counts tokens of the cache apart from the input. */
  private static long tokens(@Nullable TokenUsage usage) {
    if (usage == null) {
      return 0;
    }
    long tokens = count(usage.inputTokenCount()) + count(usage.outputTokenCount());
    return usage instanceof AnthropicTokenUsage cached
        ? tokens + count(cached.cacheReadInputTokens()) + count(cached.cacheCreationInputTokens())
        : tokens;
  }

  private static long count(@Nullable Integer tokens) {
    return tokens == null ? 0 : tokens;
  }

  private static List<ChatMessage> messages(String system, List<SessionRow> rows) {
    List<ChatMessage> messages = new ArrayList<>();
    messages.add(SystemMessage.from(system));
    for (SessionRow row : rows) {
      switch (row) {
        case SessionRow.Opened opened -> {}
        case SessionRow.ChildStarted child -> {}
        case SessionRow.UserText text -> messages.add(message(text));
        case SessionRow.Compacted compacted ->
            messages.add(UserMessage.from(SUMMARY + compacted.summary()));
        case SessionRow.Answer answer -> {
          if (!answer.text().isBlank() || !answer.calls().isEmpty()) {
            messages.add(message(answer));
          }
        }
        case SessionRow.CallResult result ->
            messages.add(
                ToolExecutionResultMessage.builder()
                    .id(result.call())
                    .toolName(result.tool())
                    .text(result.text())
                    .isError(result.failed() ? true : null)
                    .build());
      }
    }
    return messages;
  }

  private static UserMessage message(SessionRow.UserText text) {
    if (text.images().isEmpty()) {
      return UserMessage.from(text.text());
    }
    List<Content> contents = new ArrayList<>();
    text.images()
        .forEach(image -> contents.add(ImageContent.from(image.base64(), image.mediaType())));
    contents.add(TextContent.from(text.text()));
    return UserMessage.from(contents);
  }

  private static AiMessage message(SessionRow.Answer answer) {
    AiMessage.Builder message = AiMessage.builder();
    if (!answer.text().isBlank()) {
      message.text(answer.text());
    }
    if (!answer.calls().isEmpty()) {
      message.toolExecutionRequests(
          answer.calls().stream()
              .map(
                  call ->
                      ToolExecutionRequest.builder()
                          .id(call.id())
                          .name(call.name())
                          .arguments(isJson(call.arguments()) ? call.arguments() : "{}")
                          .build())
              .toList());
    }
    return message.build();
  }

  /** An answer that was cut off has calls whose arguments no endpoint accepts. */
  private static boolean isJson(String arguments) {
    try {
      return Json.mapper().readTree(arguments).isObject();
    } catch (JsonProcessingException e) {
      return false;
    }
  }
}
