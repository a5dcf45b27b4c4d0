use bouton::base::limits::Stop;
use bouton::driver::load::{Request, Text};
use bouton::exec::Runner;
use bouton::exec::jit::{Jit, Options};
use std::sync::Arc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let settings: Vec<String> = args[3..].to_vec();
    let mut text = Text::read(&Request { path: &args[2], settings: &settings, preset: None }).unwrap();
    let rules = text.game(None).unwrap_or_else(|_| panic!()).rules;
    let t = std::time::Instant::now();
    let lowered = bouton::lower::lower_with(&rules, &|d| {
        if std::env::var("NOOPT").is_err() {
            bouton::opt::optimise(d, &[])
        }
    });
    let lowered = match lowered {
        Ok(l) => l,
        Err(e) => {
            eprintln!("{e}");
            return;
        }
    };
    eprintln!(
        "lowered {} values {} groups in {:?}",
        lowered.circuit.values.len(),
        lowered.circuit.groups.len(),
        t.elapsed()
    );
    match &args[1][..] {
        "circuit" => println!("{}", bouton::circuit::print::print(&lowered.circuit)),
        "clif" | "play" => {
            let c = Arc::new(lowered.circuit);
            let j = Jit::new(c.clone(), Options { listing: true, ..Options::default() }).unwrap();
            let n = 2_000_000_0;
            if args[1] == "play" {
                j.playouts(&c.initial, n / 20, 1, 1000, &Stop::default()).unwrap();
            } else {
                j.playouts(&c.initial, 1, 1, 1000, &Stop::default()).unwrap();
                j.perft(&c.initial, 3, false, &Stop::default()).unwrap();
                println!("{}", j.listing());
            }
        }
        _ => {}
    }
}
