/*
 * Copyright the Baton authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance with the
 * License. You may obtain a copy of the License at http://www.apache.org/licenses/LICENSE-2.0
 */
package dev.baton.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.baton.cli.InProcessCli;
import dev.baton.cli.StubServer;
import dev.baton.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Run commands against recorded responses. */
class RunCommandsTest {
  private static final String ID = "01jd0000000000000000abcdef";
  private static final String RUN =
      """
      {"id":"%s","display_id":"abcdef","project":"default","workflow":"hello","status":"%s","epoch":2,
       "kind":"managed","current_steps":["build"],"labels":{"team":"a"},"completed_steps":3,"fenced":0,
       "created_at":"2026-01-01T00:00:00Z","started_at":"2026-01-01T00:00:01Z","ended_at":"2026-01-01T00:00:03.500Z",
       "runner":{"id":"r-1","pid":4242,"host":"here"},"waiting":[%s],"without_checkpoint":["lint"],"left_out":["a/node_modules"],
       "trace_gap":"01jd0000000000000000abcdef/2/5 follows seq 3",
       "log_gap":{"lane":"c","expected":3,"found":5},
       "degraded":[{"branch":"","checkpoint":"01jd0000000000000000000001","digest":"sha256:ab","reason":"pack missing"}],
       "steps":[{"step":"build","kind":"shell","status":"failed","visit":1,"failed_attempts":2,"duration_us":1500000,
                 "error":{"code":"exit_code","message":"exit code 3\\nmake: no rule"}}]}""";
  private static final String WAITING =
      "{\"approval\":\"" + ID + "-ok-1\",\"step\":\"ok\",\"prompt\":\"Publish?\"}";

  private StubServer server;
  private InProcessCli cli;

  @BeforeEach
  void start() throws Exception {
    server = new StubServer();
    cli = InProcessCli.against(server);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private static String run(String status, String waiting) {
    return RUN.formatted(ID, status, waiting);
  }

  @Test
  void shouldListRunsAsATable() {
    server.on("GET /runs?limit=20", 200, "{\"runs\":[" + run("completed", "") + "]}");

    InProcessCli.Result result = cli.run("status");

    List<String> lines = result.out().lines().toList();
    assertThat(lines.get(0).replaceAll(" +", " "))
        .isEqualTo("ID WORKFLOW STATUS STEP DONE EPOCH AGE TOOK");
    assertThat(lines.get(1).replaceAll(" +", " "))
        .startsWith("abcdef hello completed build 3 2 ")
        .endsWith(" 2.5 s");
  }

  @Test
  void shouldReadFurtherPages() {
    server.on(
        "GET /runs?status=running&workflow=hello&limit=2",
        200,
        "{\"runs\":[{\"id\":\"a\"}],\"next_cursor\":\"x/1\"}");
    server.on(
        "GET /runs?status=running&workflow=hello&limit=1&cursor=x%2F1",
        200, "{\"runs\":[{\"id\":\"b\"}]}");

    InProcessCli.Result result =
        cli.run("status", "--status", "running", "--workflow", "hello", "--limit", "2", "-ojson");

    assertThat(tree(result.out()).path("runs")).hasSize(2);
  }

  @Test
  void shouldShowOneRunWithItsStepsAndWhatItWaitsFor() {
    server.on("GET /runs/abcdef", 200, run("waiting", WAITING));

    InProcessCli.Result result = cli.run("status", "ABCDEF");

    assertThat(result.out())
        .contains(ID, "waiting", "r-1 (pid 4242 on here)", "team=a")
        .contains("exit_code: exit code 3 make: no rule", "1.5 s")
        .contains("lint (a replacement runs them again)")
        .contains("a/node_modules (missing here)")
        .contains("degraded", "continued without sha256:ab: pack missing")
        .contains("trace gap", "abcdef/2/5 follows seq 3: an event was lost")
        .contains("log gap", "lane c: expected seq 3, found 5: paused", "`baton resume abcdef`")
        .contains("Publish?", "baton approve " + ID + "-ok-1");
  }

  @Test
  void shouldListTheCandidatesOfAnAmbiguousId() {
    server.on(
        "GET /runs/abcdef",
        409,
        """
        {"title":"Ambiguous id","status":409,"detail":"'abcdef' fits 2 runs",
         "candidates":[{"id":"01jd0000000000000000abcdef","workflow":"hello","status":"running"},"01jd1111111111111111abcdef"]}""");

    InProcessCli.Result result = cli.run("status", "abcdef");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err())
        .isEqualTo(
            """
            baton: Ambiguous id: 'abcdef' fits 2 runs
              01jd0000000000000000abcdef  hello  running
              01jd1111111111111111abcdef
            """);
  }

  @ParameterizedTest
  @CsvSource({
    "400,2", "404,3", "409,5", "413,2", "415,2", "422,2", "401,8", "500,8", "503,6", "504,7"
  })
  void shouldMapStatusesToExitCodes(int status, int code) {
    server.on("GET /runners", status, "{\"title\":\"Title\",\"detail\":\"Detail.\"}");

    InProcessCli.Result result = cli.run("runners");

    assertThat(result.code()).isEqualTo(code);
    assertThat(result.err()).isEqualTo("baton: Title: Detail.\n");
  }

  @Test
  void shouldShowAnAnswerThatIsNoProblemDocument() {
    server.on("GET /runners", 502, "text/html", "<h1>Bad gateway</h1>");

    assertThat(cli.run("runners").err())
        .isEqualTo("baton: " + server.url() + " answered 502: <h1>Bad gateway</h1>\n");
  }

  @Test
  void shouldSayWhenTheServerIsNoBaton() {
    server.on("GET /runners", 200, "text/html", "<h1>hi</h1>");

    InProcessCli.Result result = cli.run("runners");

    assertThat(result.code()).isEqualTo(8);
    assertThat(result.err()).contains("check that the address is that of a Baton orchestrator");
  }

  @Test
  void shouldStoreAFileAndRunExactlyThatDefinition(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("hello.yaml"), "name: hello\n");
    server.on(
        "POST /workflows", 201, "{\"name\":\"hello\",\"hash\":\"sha256:00\",\"created\":true}");
    server.on("POST /runs", 201, run("pending", ""));

    InProcessCli.Result result =
        cli.run("run", file.toString(), "-i", "n=3", "-i", "name=Ann B", "--label", "team=a");

    assertThat(result.code()).isZero();
    assertThat(result.out()).startsWith("run " + ID + " started\n");
    StubServer.Request push = server.requests().get(0);
    assertThat(push.header("Content-Type")).isEqualTo("application/yaml");
    assertThat(push.body()).isEqualTo("name: hello\n");
    StubServer.Request create = server.requests().getLast();
    assertThat(create.header("Idempotency-Key")).isNotEmpty();
    assertThat(tree(create.body()))
        .isEqualTo(
            tree(
                "{\"workflow\":\"hello@sha256:00\",\"input\":{\"n\":\"3\",\"name\":\"Ann B\"},"
                    + "\"labels\":{\"team\":\"a\"}}"));
  }

  @Test
  void shouldReplayFromAStepWithOnePropertyOfTheInputChanged() {
    server.on(
        "GET /runs/abcdef/events?limit=1",
        200,
        "{\"events\":[{\"data\":{\"input\":{\"value\":{\"a\":1,\"b\":2}}}}]}");
    server.on("POST /runs/abcdef/fork", 201, run("pending", ""));

    InProcessCli.Result result = cli.run("replay", "abcdef", "--after", "build", "-i", "b:=3");

    assertThat(result.code()).isZero();
    assertThat(result.out()).startsWith("run " + ID + " started\n");
    StubServer.Request fork = server.requests().getLast();
    assertThat(fork.header("Idempotency-Key")).isNotEmpty();
    assertThat(tree(fork.body()))
        .isEqualTo(tree("{\"step\":\"build\",\"input\":{\"a\":1,\"b\":3}}"));
  }

  @Test
  void shouldReplayFromACheckpointsFilesWithAnotherWorkflow() {
    server.on("POST /runs/abcdef/fork", 201, run("pending", ""));

    cli.run(
        "fork",
        "abcdef",
        "--checkpoint",
        ID,
        "--files-only",
        "--workflow",
        "other",
        "--label",
        "a=b");

    assertThat(tree(server.requests().getLast().body()))
        .isEqualTo(
            tree(
                "{\"checkpoint\":\"%s\",\"files_only\":true,\"workflow\":\"other\",\"labels\":{\"a\":\"b\"}}"
                    .formatted(ID)));
  }

  @Test
  void shouldReplayFromTheBoundaryBeforeATurn() {
    server.on(
        "GET /runs/" + ID + "/events?after=0&limit=1000",
        200,
        "{\"events\":[%s,%s,%s,%s]}"
            .formatted(
                event(1, "model_answered", "{}"),
                event(2, "checkpoint_saved", "{\"checkpoint\":\"c1\",\"turn\":{}}"),
                event(3, "checkpoint_saved", "{\"checkpoint\":\"other\"}"),
                event(4, "model_answered", "{}")));
    server.on("POST /runs/" + ID + "/fork", 201, run("pending", ""));

    InProcessCli.Result first = cli.run("replay", ID, "--turn", "1");
    InProcessCli.Result third = cli.run("replay", ID, "--turn", "3");
    InProcessCli.Result second = cli.run("replay", ID, "--turn", "2");

    assertThat(first.code()).isEqualTo(2);
    assertThat(first.err()).contains("no boundary was captured before turn 1");
    assertThat(third.code()).isEqualTo(2);
    assertThat(third.err()).contains("has no turn 3; allowed: 1 to 2");
    assertThat(second.code()).isZero();
    assertThat(tree(server.requests().getLast().body())).isEqualTo(tree("{\"checkpoint\":\"c1\"}"));
  }

  @Test
  void shouldForkAnAgentWithAnotherPromptModelAndAgent(@TempDir Path folder) throws Exception {
    server.on("POST /runs/" + ID + "/fork", 201, run("pending", ""));
    Path advice = Files.writeString(folder.resolve("advice.txt"), "Use the other library.\n");

    InProcessCli.Result done =
        cli.run(
            "replay",
            ID,
            "--checkpoint",
            "c1",
            "--prompt",
            "@" + advice,
            "--model",
            "m2",
            "--use",
            "codex");
    InProcessCli.Result afterStep = cli.run("replay", ID, "--after", "build", "--prompt", "more");
    InProcessCli.Result missing =
        cli.run("replay", ID, "--checkpoint", "c1", "--prompt", "@/no/such/file");

    assertThat(done.code()).isZero();
    assertThat(tree(server.requests().getLast().body()))
        .isEqualTo(
            tree(
                "{\"checkpoint\":\"c1\",\"prompt\":\"Use the other library.\\n\",\"model\":\"m2\",\"use\":\"codex\"}"));
    assertThat(afterStep.code()).isEqualTo(2);
    assertThat(afterStep.err()).contains("--prompt requires --turn");
    assertThat(missing.code()).isEqualTo(2);
    assertThat(missing.err()).contains("--prompt: file not found: '/no/such/file'");
  }

  private static String event(int position, String type, String data) {
    return "{\"position\":%d,\"type\":\"dev.baton.%s\",\"data\":%s}"
        .formatted(position, type, data);
  }

  @Test
  void shouldAskWhereAReplayIsToBegin() {
    assertThat(cli.run("replay", "abcdef").code()).isEqualTo(2);
    InProcessCli.Result result = cli.run("replay", "abcdef", "--after", "build", "--files-only");
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("--files-only requires --checkpoint");
  }

  @Test
  void shouldPointIntoTheFileWhereADefinitionIsWrong(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("bad.yaml"), "name: hello\n");
    server.on(
        "POST /workflows",
        422,
        """
        {"title":"Invalid workflow","status":422,"detail":"2 problems","errors":[
          {"line":3,"column":5,"step":"build","message":"unknown key 'shel'","allowed":["shell","http"]},
          {"message":"steps is missing"}]}""");

    InProcessCli.Result result = cli.run("run", file.toString());

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .isEqualTo(
            """
            baton: Invalid workflow: 2 problems
              %1$s:3:5: step 'build': unknown key 'shel' (allowed: shell, http)
              %1$s: steps is missing
            """
                .formatted(file));
  }

  @Test
  void shouldTakeTheInputFromStdinAndWaitForTheEnd() {
    InProcessCli withInput = new InProcessCli(cli.environment(), "{\"n\":1}");
    server.on("POST /runs", 201, run("pending", ""));
    server.on(
        "GET /runs/" + ID + "/events?after=0",
        200,
        "text/event-stream",
        sse(1, "run_created", "{\"workflow\":\"hello\"}")
            + sse(2, "run_failed", "{\"step\":\"build\",\"error\":{\"code\":\"exit_code\"}}"));
    server.on("GET /runs/" + ID, 200, run("running", ""));
    server.on("GET /runs/" + ID, 200, run("failed", ""));

    InProcessCli.Result result =
        withInput.run("run", "hello", "--input", "-", "--wait", "-o", "json");

    assertThat(result.code()).isEqualTo(1);
    assertThat(tree(result.out()).path("status").asText()).isEqualTo("failed");
    assertThat(tree(server.requests().get(0).body()).at("/input/n").asInt()).isEqualTo(1);
  }

  @Test
  void shouldBelieveTheLastEventWhereTheViewLags() {
    server.on("POST /runs", 201, run("pending", ""));
    server.on(
        "GET /runs/" + ID + "/events?after=0",
        200,
        "text/event-stream",
        sse(1, "run_created", "{}") + sse(2, "run_completed", "{\"output\":{\"value\":7}}"));
    server.on("GET /runs/" + ID, 200, run("running", ""));

    InProcessCli.Result result = cli.run("run", "hello", "--wait", "-o", "json");

    assertThat(result.code()).isZero();
    assertThat(tree(result.out()).path("status").asText()).isEqualTo("completed");
    assertThat(tree(result.out()).path("output").asInt()).isEqualTo(7);
  }

  @Test
  void shouldFollowEventsOverABrokenStreamWithoutGapOrRepetition() {
    server.on("GET /runs/" + ID, 200, run("running", ""));
    server.on(
        "GET /runs/" + ID + "/events?after=0",
        200,
        "text/event-stream",
        sse(1, "run_created", "{}")
            + ": keep-alive\n\n"
            + sse(2, "step_started", "{\"step\":\"a\"}"));
    server.on(
        "GET /runs/" + ID + "/events?after=2",
        200,
        "text/event-stream",
        sse(2, "step_started", "{\"step\":\"a\"}")
            + sse(3, "runner_assigned", "{\"epoch\":2,\"reason\":\"runner_exited\"}")
            + sse(4, "run_completed", "{\"output\":{\"value\":7}}"));

    InProcessCli.Result result = cli.run("events", ID, "-f");

    assertThat(result.out().lines().map(line -> line.replaceAll("^\\S+\\s+", "")).toList())
        .containsExactly(
            "run_created",
            "step_started a",
            "runner_assigned epoch 2 (runner_exited)",
            "run_completed 7");
    assertThat(server.requests()).anyMatch(request -> request.header("Last-Event-ID").equals("2"));
  }

  @Test
  void shouldPrintEventsOnePerLineAsJson() {
    server.on(
        "GET /runs/" + ID + "/events?after=0&limit=1000",
        200,
        "{\"events\":[" + envelope(1, "run_created", "{}") + "]}");

    InProcessCli.Result result = cli.run("events", ID, "-o", "json");

    assertThat(result.out().lines()).hasSize(1);
    assertThat(tree(result.out()).path("type").asText()).isEqualTo("dev.baton.run_created");
  }

  @Test
  void shouldPrintLogsWithTheirStep() {
    server.on(
        "GET /runs/" + ID + "/logs",
        200,
        "application/x-ndjson",
        "{\"step\":\"a\",\"stream\":\"stdout\",\"text\":\"one\\n\"}\n{\"step\":\"b\",\"stream\":\"stderr\",\"text\":\"two\"}\n");

    assertThat(cli.run("logs", ID).out()).isEqualTo("a | one\nb | two\n");
  }

  @Test
  void shouldApproveTheOneThingARunWaitsFor() {
    server.on("GET /runs/abcdef", 200, run("waiting", WAITING));
    server.on(
        "GET /approvals/" + ID + "-ok-1",
        200,
        "{\"prompt\":\"Publish?\",\"checkpoint\":\"sha256:aa\"}");
    server.on("POST /approvals/" + ID + "-ok-1", 200, "{\"status\":\"answered\"}");

    InProcessCli.Result result = cli.run("approve", "abcdef", "--comment", "fine");

    assertThat(result.code()).as("%s", result).isZero();
    assertThat(result.out()).startsWith("prompt: Publish?\nabout checkpoint sha256:aa\n");
    assertThat(tree(server.requests().getLast().body()))
        .isEqualTo(
            tree(
                "{\"answer\":{\"approved\":true},\"by\":\"ann\",\"comment\":\"fine\",\"checkpoint\":\"sha256:aa\"}"));
    cli.run("reject", ID + "-ok-1", "--checkpoint", "sha256:bb");
    assertThat(tree(server.requests().getLast().body()))
        .isEqualTo(
            tree("{\"answer\":{\"approved\":false},\"by\":\"ann\",\"checkpoint\":\"sha256:bb\"}"));
  }

  @Test
  void shouldNotGuessWhichApprovalIsMeant() {
    server.on(
        "GET /runs/abcdef", 200, run("waiting", WAITING + "," + WAITING.replace("-ok-", "-no-")));

    InProcessCli.Result result = cli.run("reject", "abcdef");

    assertThat(result.code()).isEqualTo(4);
    assertThat(result.err()).contains(ID + "-ok-1  Publish?", ID + "-no-1  Publish?");
  }

  @Test
  void shouldShowAToolCallAndAnswerTheOneThatIsNamed() {
    String call =
        """
        {"approval":"%1$s-work-1-5f0c","step":"work","prompt":"Bash: git push","checkpoint":"sha256:aa",
         "tool":{"call":"toolu_1","name":"Bash","input":{"command":"git push"},"input_digest":"sha256:bb"}}"""
            .formatted(ID);
    server.on("GET /runs/abcdef", 200, run("waiting", WAITING + "," + call));
    server.on("GET /approvals/" + ID + "-work-1-5f0c", 200, call);
    server.on("POST /approvals/" + ID + "-work-1-5f0c", 200, "{\"status\":\"answered\"}");

    assertThat(cli.run("status", "abcdef").out())
        .contains(
            """
            waits: Bash: git push
              tool Bash, call toolu_1
              input {"command":"git push"}
              about checkpoint sha256:aa
              baton approve %1$s-work-1-5f0c
              baton reject %1$s-work-1-5f0c --message TEXT
            """
                .formatted(ID));
    for (String which : List.of("toolu_1", "Bash", "work", "5f0c")) {
      InProcessCli.Result result = cli.run("reject", "abcdef", which, "--message", "Use a branch.");

      assertThat(result.code()).as("%s", result).isZero();
      assertThat(result.out()).contains("tool Bash, call toolu_1");
      assertThat(tree(server.requests().getLast().body()).path("answer"))
          .isEqualTo(tree("{\"approved\":false,\"message\":\"Use a branch.\"}"));
    }
    assertThat(cli.run("approve", "abcdef", "toolu_2").err())
        .contains("waits for no approval 'toolu_2'");
  }

  @Test
  void shouldSayThatARunWaitsForNothing() {
    server.on("GET /runs/abcdef", 200, run("running", ""));

    InProcessCli.Result result = cli.run("approve", "abcdef");

    assertThat(result.code()).isEqualTo(5);
    assertThat(result.err()).contains("waits for no approval (it is running)");
  }

  @Test
  void shouldPauseAndSayWhatThatMeans() {
    server.on("POST /runs/" + ID + "/pause", 202, run("pausing", ""));

    assertThat(cli.run("pause", ID, "--by", "me").out())
        .isEqualTo("abcdef is being paused after the step in progress\n");
    assertThat(server.requests().getLast().body()).isEqualTo("{\"now\":false,\"by\":\"me\"}");
    assertThat(cli.run("pause", ID, "--now").out()).isEqualTo("abcdef is being paused now\n");
    assertThat(tree(server.requests().getLast().body()).path("now").asBoolean()).isTrue();
    assertThat(tree(cli.run("pause", ID, "-o", "json").out()).path("status").asText())
        .isEqualTo("pausing");
  }

  @Test
  void shouldEndWithACodeOfItsOwnWhenTheRunThatIsWaitedForIsPaused() {
    server.on("POST /runs/" + ID + "/resume", 202, run("resuming", ""));
    server.on(
        "GET /runs/" + ID + "/events?after=0",
        200,
        "text/event-stream",
        sse(1, "runner_assigned", "{\"epoch\":1,\"reason\":\"start\"}")
            + sse(2, "run_failed", "{}")
            + sse(3, "runner_assigned", "{\"epoch\":2,\"reason\":\"resume\"}")
            + sse(4, "run_paused", "{}"));
    server.on("GET /runs/" + ID, 200, run("resuming", ""));
    server.on("GET /runs/" + ID, 200, run("paused", ""));

    InProcessCli.Result result = cli.run("resume", ID, "--wait");

    assertThat(result.code()).as("%s", result).isEqualTo(9);
    assertThat(result.out()).contains("paused", "baton resume abcdef");
    assertThat(server.requests().getFirst().body()).isEqualTo("{}");
  }

  @Test
  void shouldSendWhatAResumeIsToCorrect() throws Exception {
    server.on("POST /runs/" + ID + "/resume", 202, run("resuming", ""));
    Path file = Files.writeString(Files.createTempFile("definition", ".yaml"), "name: x\n");

    InProcessCli.Result result =
        cli.run(
            "resume",
            ID,
            "--from",
            "build",
            "--set",
            "steps.each/0/count.output={\"n\": 1}",
            "--set",
            "steps.plan.output=\"a=b\"",
            "--skip",
            "lint",
            "--skip",
            "test",
            "--file",
            file.toString(),
            "--accept-changes",
            "--by",
            "me");

    assertThat(result.code()).as("%s", result).isZero();
    assertThat(tree(server.requests().getLast().body()))
        .isEqualTo(
            tree(
                """
                {"from": "build", "set": {"each/0/count": {"n": 1}, "plan": "a=b"}, "skip": ["lint", "test"],
                 "definition": "name: x\\n", "accept_changes": true, "by": "me"}"""));
    assertThat(cli.run("resume", ID, "--set", "plan=1").err())
        .contains("allowed: steps.STEP.output=JSON");
    assertThat(cli.run("resume", ID, "--accept-changes").err()).contains("requires --file");
    assertThat(cli.run("resume", "--failed", "--skip", "a").code()).isEqualTo(2);
  }

  @Test
  void shouldCancelWithAReason() {
    server.on("POST /runs/" + ID + "/cancel", 202, run("cancelled", ""));

    InProcessCli.Result result = cli.run("cancel", ID, "--reason", "enough");

    assertThat(result.out()).isEqualTo("abcdef is being cancelled\n");
    assertThat(server.requests().getLast().body()).isEqualTo("{\"reason\":\"enough\"}");
  }

  private static String envelope(int position, String type, String data) {
    return "{\"position\":%d,\"id\":\"%s/c/%d\",\"type\":\"dev.baton.%s\",\"time\":\"2026-01-01T00:00:0%dZ\",\"data\":%s}"
        .formatted(position, ID, position, type, position, data);
  }

  private static String sse(int position, String type, String data) {
    return "id: %d\nevent: dev.baton.%s\ndata: %s\n\n"
        .formatted(position, type, envelope(position, type, data));
  }

  private static JsonNode tree(String json) {
    return Json.tree(json.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldRefuseInputThatIsNoJson() {
    assertThat(cli.run("run", "hello", "--input", "{\"a\":").err())
        .startsWith("baton: --input is not JSON: ")
        .contains("line 1");
    assertThat(cli.run("run", "hello", "--input", "@/nonexistent/x").err())
        .contains("file not found: '/nonexistent/x'");
    assertThat(new InProcessCli(Map.of(), "").run("run", "hello", "--input", "").err())
        .contains("--input is empty");
  }
}
