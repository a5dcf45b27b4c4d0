//! `bouton ggp-player` as a game manager sees it: whole matches over HTTP, with the oracle as the judge.
//!
//! The manager is written from the protocol alone. It renames all words of a sheet, as managers do, sends the moves of
//! all roles after each turn, and checks that each answer is in time and legal.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use bouton_base::random::SplitMix;

use crate::oracle::{Oracle, Position, Term};
use crate::own::{CUPS, DOORS, DRAWS, HEAPS, PUSH, SIGNS};

/// A player on a free port, stopped on drop.
struct Player {
    child: Child,
    port: u16,
}

impl Drop for Player {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Player {
    fn start() -> Player {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bouton"))
            .args(["ggp-player", "--port", "0", "--name", "test", "-q"])
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        let port = line.trim().trim_end_matches('/').rsplit(':').next().and_then(|port| port.parse().ok());
        let port = port.unwrap_or_else(|| panic!("no port: {line}"));
        Player { child, port }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a time");
        stream
    }

    /// Sends bytes and reads the answer up to the end of the connection: its first line and its body.
    fn raw(&self, request: &str) -> (String, String) {
        let mut stream = self.connect();
        let _ = stream.write_all(request.as_bytes());
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8_lossy(&text).into_owned();
        let (header, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        (header.lines().next().unwrap_or_default().to_owned(), body.to_owned())
    }

    /// Sends a message as a game manager does.
    fn send(&self, message: &str) -> String {
        let (status, body) = self.raw(&request(message));
        assert!(status.contains(" 200 "), "{status}: {body}");
        body
    }
}

/// A message as a request of a game manager.
fn request(message: &str) -> String {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nHost: 127.0.0.1\r\nSender: GAMESERVER\r\nReceiver: test\r\n\
         Content-Type: text/acl\r\nContent-Length: {}\r\n\r\n{message}",
        message.len()
    )
}

/// The words of the logic, which are not renamed.
const KEYWORDS: &[&str] = &[
    "role", "init", "true", "does", "next", "legal", "goal", "terminal", "base", "input", "not", "or", "and",
    "distinct", "<=", "sees", "random",
];

/// The renaming of the words of a sheet.
struct Scrambler {
    names: BTreeMap<String, String>,
}

impl Scrambler {
    /// The renamed text in one line: no comments, numbers and keywords as they are.
    fn of(text: &str) -> (Scrambler, String) {
        const SYLLABLES: [&str; 8] = ["ba", "ko", "ri", "tu", "mel", "zan", "fo", "pik"];
        let mut names: BTreeMap<String, String> = BTreeMap::new();
        let mut out = String::new();
        for line in text.lines() {
            let line = line.split(';').next().unwrap_or_default();
            for word in line.replace('(', " ( ").replace(')', " ) ").split_whitespace() {
                let lower = word.to_lowercase();
                let kept = word == "(" || word == ")" || KEYWORDS.contains(&lower.as_str());
                let new = if kept || word.parse::<i64>().is_ok() {
                    word.to_owned()
                } else {
                    let (mark, name) = match word.strip_prefix('?') {
                        Some(name) => ("?", name),
                        None => ("", word),
                    };
                    let number = names.len();
                    let new = names.entry(name.to_owned()).or_insert_with(|| {
                        format!(
                            "{}{}{}",
                            SYLLABLES[number % 8],
                            SYLLABLES[number / 8 % 8],
                            SYLLABLES[number / 64 % 8]
                        )
                    });
                    format!("{mark}{new}")
                };
                out += &new;
                out.push(' ');
            }
        }
        (Scrambler { names }, out)
    }
}

/// The result of a match.
struct Played {
    goals: BTreeMap<String, String>,
    /// The number of answers that were compared with the legal moves.
    answers: u32,
}

/// The clocks of a match, in seconds.
#[derive(Clone, Copy)]
struct Clocks {
    start: u64,
    play: u64,
}

/// What the manager tells after a move.
#[derive(Clone, Copy, PartialEq)]
enum Tells {
    /// The moves of all roles.
    Moves,
    /// The number of moves, the player's own move, and what he sees by the sheet, as in GDL-II.
    Percepts,
    /// The same, but every other message is lost.
    SomePercepts,
    /// The number of moves, the player's own move, and what nobody sees.
    Nonsense,
}

/// Plays a match of a sheet in which the player has one role and the others move at random.
fn play_match(player: &Player, id: &str, text: &str, role: usize, clocks: Clocks) -> Played {
    play_told(player, Meeting { id, text, tells: Tells::Moves }, role, clocks)
}

/// A match as the manager plans it.
#[derive(Clone, Copy)]
struct Meeting<'a> {
    id: &'a str,
    text: &'a str,
    tells: Tells,
}

/// The same, with what the manager tells.
fn play_told(player: &Player, meeting: Meeting<'_>, role: usize, clocks: Clocks) -> Played {
    let Meeting { id, text, tells } = meeting;
    let (scrambler, rules) = Scrambler::of(text);
    let names: std::collections::BTreeSet<&String> = scrambler.names.values().collect();
    assert_eq!(names.len(), scrambler.names.len(), "different names stay different");
    let mut oracle = Oracle::new(&rules);
    let roles = oracle.roles();
    let own = &roles[role];
    let clock = Instant::now();
    let start = format!("( START {id} {own} ({rules}) {} {})", clocks.start, clocks.play);
    assert_eq!(player.send(&start), "ready");
    assert!(clock.elapsed() <= Duration::from_secs(clocks.start), "{id}: late for START");
    let mut random = SplitMix::new(role as u64 + 11);
    let mut position = oracle.initial();
    let mut last = if tells == Tells::Moves { "NIL" } else { "0 NIL NIL" }.to_owned();
    let mut answers = 0;
    let mut turn = 0;
    while !oracle.terminal(&position) {
        let clock = Instant::now();
        let answer = player.send(&format!("( PLAY {id} {last} )"));
        assert!(
            clock.elapsed() <= Duration::from_secs(clocks.play),
            "{id}: late for PLAY: {:?}",
            clock.elapsed()
        );
        let moves = joint_move(&mut oracle, &position, &roles, (own, &answer), &mut random);
        answers += 1;
        turn += 1;
        last = match tells {
            Tells::Moves => {
                let moves: Vec<String> = moves.iter().map(|(_, made)| made.to_string()).collect();
                format!("( {} )", moves.join(" "))
            }
            _ => {
                let seen = oracle.percepts(&position, &moves).remove(own).unwrap_or_default();
                let seen: Vec<String> = seen.iter().map(Term::to_string).collect();
                let seen = if tells == Tells::Nonsense { vec!["(what is that)".to_owned()] } else { seen };
                let seen = if seen.is_empty() { "NIL".to_owned() } else { format!("( {} )", seen.join(" ")) };
                format!("{turn} {answer} {seen}")
            }
        };
        position = oracle.next(&position, &moves);
        if tells == Tells::SomePercepts && turn % 2 == 1 && !oracle.terminal(&position) {
            // The message is lost: the manager moves for the player.
            let any = oracle.legal(&position)[own].first().expect("a move").to_string();
            let moves = joint_move(&mut oracle, &position, &roles, (own, &any), &mut random);
            let seen = oracle.percepts(&position, &moves).remove(own).unwrap_or_default();
            let seen: Vec<String> = seen.iter().map(Term::to_string).collect();
            turn += 1;
            last = format!("{turn} {any} ( {} )", seen.join(" "));
            position = oracle.next(&position, &moves);
        }
    }
    assert_eq!(player.send(&format!("( STOP {id} {last} )")), "done");
    let goals = oracle.goals(&position);
    let goal = |role: &Term| goals[role].first().map(Term::to_string).unwrap_or_default();
    let original = |name: &str| {
        let of = scrambler.names.iter().find(|(_, new)| *new == name);
        of.map_or_else(|| name.to_owned(), |(old, _)| old.clone())
    };
    let goals = roles.iter().map(|role| (original(&role.to_string()), goal(role))).collect();
    Played { goals, answers }
}

/// The moves of all roles: the answer of the player, which must be legal, and random ones of the others.
fn joint_move(
    oracle: &mut Oracle,
    position: &Position,
    roles: &[Term],
    told: (&Term, &str),
    random: &mut SplitMix,
) -> Vec<(Term, Term)> {
    let legal = oracle.legal(position);
    let of_role = |role: &Term| {
        let moves = &legal[role];
        let made = if role == told.0 {
            moves.iter().find(|made| made.to_string() == told.1)
        } else {
            moves.iter().nth((random.word() % moves.len() as u64) as usize)
        };
        let made = made.unwrap_or_else(|| panic!("`{}` is not legal for {role}: {moves:?}", told.1));
        (role.clone(), made.clone())
    };
    roles.iter().map(of_role).collect()
}

#[test]
fn whole_matches_are_played_in_time_and_legally() {
    let player = Player::start();
    let (rounds, start) = if crate::slow() { (130, 1) } else { (1, 2) };
    let mut answers = 0;
    for round in 0..rounds {
        for (name, text, role) in [
            ("heaps", HEAPS, 0),
            ("signs", SIGNS, 1),
            ("doors", DOORS, 0),
            ("push", PUSH, 0),
            ("push", PUSH, 1),
        ] {
            let id = format!("m.{name}.{round}");
            let played = play_match(&player, &id, text, role, Clocks { start, play: 1 });
            answers += played.answers;
            match name {
                // The first player wins, and the robot finds the way out.
                "heaps" => assert_eq!(played.goals["left"], "100"),
                "doors" => assert_eq!(played.goals["robot"], "100"),
                _ => {}
            }
        }
    }
    assert!(answers >= if crate::slow() { 1000 } else { 6 }, "{answers} moves");
}

/// Chance hides a number and shows it to one of two seekers at a time, who names it after a pause.
const NUMBERS: &str = "
(role ann) (role random) (role bob) (init (step 1)) (init (asked ann)) (init (score ann 0)) (init (score bob 0))
(after 1 2) (after 2 3) (after 3 4) (after 4 5) (after 5 6) (after 6 7) (number 1) (number 2) (number 3)
(hides 1) (hides 4) (pauses 2) (pauses 5) (names 3) (names 6)
(<= (legal random (hide ?n)) (true (step ?s)) (hides ?s) (number ?n))
(<= (legal random wait) (true (step ?s)) (not (hides ?s)))
(<= (legal ?p (name ?n)) (true (step ?s)) (names ?s) (true (asked ?p)) (number ?n))
(<= (legal ann wait) (not (answers ann))) (<= (legal bob wait) (not (answers bob)))
(<= (answers ?p) (true (step ?s)) (names ?s) (true (asked ?p)))
(<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
(<= (next (hidden ?n)) (does random (hide ?n)))
(<= (next (hidden ?n)) (true (hidden ?n)) (true (step ?s)) (not (hides ?s)))
(<= (next (asked ?p)) (true (asked ?p)) (not (true (step 3))))
(<= (next (asked bob)) (true (step 3)))
(<= (next (score ?p 50)) (does ?p (name ?n)) (true (hidden ?n)))
(<= (next (score ?p ?g)) (true (score ?p ?g)) (not (right ?p)))
(<= (right ?p) (does ?p (name ?n)) (true (hidden ?n)))
(<= (sees ?p (it is ?n)) (does random (hide ?n)) (true (asked ?p)))
(<= terminal (true (step 7))) (<= (goal ?p ?g) (true (score ?p ?g))) (goal random 0)";

#[test]
fn matches_with_chance_and_percepts_are_played() {
    let player = Player::start();
    let clocks = Clocks { start: 3, play: 2 };
    let of = |role: &str, played: &Played| played.goals[role].clone();
    // Moves of chance among those of all roles.
    assert!(
        ["10", "20", "50", "100"]
            .contains(&of("taker", &play_match(&player, "draws", DRAWS, 1, clocks)).as_str())
    );
    for (role, name) in [(0, "ann"), (2, "bob")] {
        for tells in [Tells::Moves, Tells::Percepts] {
            // Who sees the number names it.
            let played = play_told(&player, Meeting { id: name, text: NUMBERS, tells }, role, clocks);
            assert_eq!(of(name, &played), "50", "{name}");
        }
        let lossy = Meeting { id: name, text: NUMBERS, tells: Tells::SomePercepts };
        play_told(&player, lossy, role, clocks);
    }
    for tells in [Tells::Moves, Tells::Percepts, Tells::SomePercepts, Tells::Nonsense] {
        play_told(&player, Meeting { id: "cups", text: CUPS, tells }, 1, clocks);
    }
    // Percepts that tell all moves hide nothing.
    let open = format!("{DRAWS} (<= (sees ?p (made ?q ?m)) (role ?p) (does ?q ?m))");
    play_told(&player, Meeting { id: "open", text: &open, tells: Tells::Percepts }, 1, clocks);
}

#[test]
fn large_games_are_played_by_search() {
    let game = crate::export::game("connect_four", &[]);
    let sheet = crate::export::sheet(&game).expect("a sheet");
    let player = Player::start();
    let played = play_match(&player, "large", &sheet.text, 0, Clocks { start: 3, play: 1 });
    let first = game.rules.players()[0].to_lowercase();
    assert_eq!(played.goals[&first], "100", "random moves do not resist");
}

#[test]
fn messages_out_of_order_are_answered() {
    let player = Player::start();
    assert_eq!(player.send("(info)"), "( ( name test ) ( status available ) ( species alien ) )");
    assert_eq!(player.send("(PLAY unknown NIL)"), "busy");
    assert_eq!(player.send("(STOP unknown NIL)"), "busy");
    let start = |id: &str| format!("(START {id} left ({}) 2 1)", plain(HEAPS));
    assert_eq!(player.send(&start("one")), "ready");
    assert_eq!(player.send("(INFO)"), "( ( name test ) ( status busy ) ( species alien ) )");
    assert_eq!(player.send(&start("two")), "busy");
    assert_eq!(player.send("(PLAY two NIL)"), "busy");
    assert!(player.send("(PLAY ONE nil)").starts_with("(take "));
    assert_eq!(player.send("(ABORT one)"), "aborted");
    assert_eq!(player.send(&start("two")), "ready");
    // A move that is not legal, and one of too few roles.
    assert_eq!(player.send("(PLAY two ((take z 9) noop))"), "nil");
    assert_eq!(player.send("(ABORT two)"), "aborted");
    // Rules with errors, and a role that they do not have, give no moves.
    assert_eq!(player.send("(START bad left ((role left)) 1 1)"), "ready");
    assert_eq!(player.send("(PLAY bad NIL)"), "nil");
    assert_eq!(player.send("(STOP bad NIL)"), "done");
    assert_eq!(player.send(&start("three").replace("three left", "three nobody")), "ready");
    assert_eq!(player.send("(PLAY three NIL)"), "nil");
}

/// A sheet in one line, without comments.
fn plain(text: &str) -> String {
    let lines = text.lines().map(|line| line.split(';').next().unwrap_or_default());
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn malformed_requests_and_lost_connections_do_no_harm() {
    let player = Player::start();
    for message in ["", "(", "hello", "(dance)", "(PLAY x)", &"(".repeat(100_000)] {
        let (status, _) = player.raw(&request(message));
        assert!(status.contains(" 400 "), "{status}");
    }
    assert!(player.raw("PUT / HTTP/1.0\r\n\r\n").0.contains(" 405 "));
    assert!(player.raw("nonsense\r\n\r\n").0.contains(" 400 "));
    let long = "POST / HTTP/1.0\r\nContent-Length: 99999999\r\n\r\n";
    assert!(player.raw(long).0.contains(" 413 "));
    let foreign = "POST / HTTP/1.0\r\nOrigin: http://example.org\r\nContent-Length: 6\r\n\r\n(INFO)";
    assert!(player.raw(foreign).0.contains(" 403 "));
    assert!(player.raw("OPTIONS / HTTP/1.0\r\n\r\n").0.contains(" 200 "));
    let (status, body) = player.raw("GET /%28%20INFO%20%29 HTTP/1.0\r\n\r\n");
    assert!(status.contains(" 200 ") && body.contains("available"), "{status} {body}");
    // A manager that leaves before its answer, and one that never ends its message.
    let left = player.connect();
    drop(left);
    let mut leaves = player.connect();
    leaves
        .write_all(request(&format!("(START gone left ({}) 5 1)", plain(HEAPS))).as_bytes())
        .expect("a request");
    drop(leaves);
    let mut waits = player.connect();
    waits.write_all(b"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n(STA").expect("a request");
    // The message of the manager that left may have been read or not.
    std::thread::sleep(Duration::from_millis(500));
    assert!(["aborted", "busy"].contains(&player.send("(ABORT gone)").as_str()));
    let played = play_match(&player, "after", HEAPS, 0, Clocks { start: 2, play: 1 });
    assert_eq!(played.goals["left"], "100");
}

#[test]
fn a_lost_message_is_made_up_for() {
    let player = Player::start();
    let start = format!("(START lost left ({}) 2 1)", plain(HEAPS));
    assert_eq!(player.send(&start), "ready");
    let mut oracle = Oracle::new(HEAPS);
    let roles = oracle.roles();
    let mut random = SplitMix::new(1);
    let mut position = oracle.initial();
    let first = player.send("(PLAY lost NIL)");
    // The message after the first move never arrives.
    let moves = joint_move(&mut oracle, &position, &roles, (&roles[0], &first), &mut random);
    position = oracle.next(&position, &moves);
    let moves = joint_move(&mut oracle, &position, &roles, (&roles[0], "noop"), &mut random);
    position = oracle.next(&position, &moves);
    if oracle.terminal(&position) {
        return;
    }
    let last: Vec<String> = moves.iter().map(|(_, made)| made.to_string()).collect();
    let answer = player.send(&format!("(PLAY lost ({}))", last.join(" ")));
    let legal: Vec<String> = oracle.legal(&position)[&roles[0]].iter().map(Term::to_string).collect();
    assert!(legal.contains(&answer), "{answer}: {legal:?}");
}
